import { build, type BadManifest } from './bad-manifest.ts'

/** What only the check refuses. */
export const badMeanings: readonly BadManifest[] = [
  {
    name: 'a strategy that is not there',
    yaml: `${build}deploy:
  strategy: bluegreen
`,
    faults: ['5:13 deploy.strategy: there is no strategy "bluegreen", did you mean "blue-green"?'],
    onlyHere: 'a name that refers to another place',
  },
  {
    name: 'a strategy like nothing',
    yaml: `${build}deploy:
  strategy: big bang
  strategies: { "two by two": { kind: rolling, batch: 2 } }
`,
    faults: [
      '5:13 deploy.strategy: there is no strategy "big bang": name one of "two by two", "rolling", "canary", "blue-green", "all-at-once", or define it under deploy.strategies',
    ],
    onlyHere: 'a name that refers to another place',
  },
  {
    name: 'falling shares',
    yaml: `${build}deploy:
  strategies: { a: { kind: canary, steps: [25, 5, 100] } }
`,
    faults: [
      '5:48 deploy.strategies.a.steps[1]: 5 is less than the step before: write the shares in rising order',
    ],
    onlyHere: 'an order',
  },
  {
    name: 'two names of strategies that are one',
    yaml: `${build}deploy:
  strategies:
    Web update: { kind: rolling }
    web: { kind: rolling }
`,
    faults: [
      '7:5 deploy.strategies: "web" and "Web update" are one name, for case, spaces and "_" make no difference: rename one',
    ],
    onlyHere: 'names that are compared',
  },
  {
    name: 'outputs of one variable',
    yaml: `${build}deploy:
  outputs: [lb-dns, lb_dns]
`,
    faults: [
      '5:21 deploy.outputs[1]: "lb_dns" and "lb-dns" would both be CC_OUT_LB_DNS: remove one, or rename the output',
    ],
    onlyHere: 'names that are compared',
  },
  {
    name: 'a secret that the build does not declare',
    yaml: `version: 1
build:
  steps:
    - { run: a, secrets: [NPM_TOKEN] }
  artifact: { path: dist }
`,
    faults: [
      '4:27 build.steps[0].secrets[0]: "NPM_TOKEN" is not among build.secrets: add it there, so that one place shows what a build is given',
    ],
    onlyHere: 'a name that refers to another place',
  },
  {
    name: 'a secret that is a variable too',
    yaml: `version: 1
build:
  secrets: [A]
  steps: [{ run: a, env: { A: x }, secrets: [A] }]
  artifact: { path: dist }
`,
    faults: ['4:28 build.steps[0].env: "A" is a secret of this step too: remove one of the two'],
    onlyHere: 'names that are compared',
  },
  {
    name: 'a step longer than the build',
    yaml: `version: 1
build:
  timeout: 10m
  steps: [{ run: a, timeout: 601s }]
  artifact: { path: dist }
`,
    faults: [
      '4:30 build.steps[0].timeout: "601s" is longer than the "10m" of the whole build (build.timeout): shorten it, or raise that',
    ],
    onlyHere: 'two values that are compared',
  },
  {
    name: '1,001 lines',
    yaml: `${build}${'# x\n'.repeat(998)}`,
    faults: ['1001:1 a manifest has at most 1000 lines: move scripts into files of the repository'],
    onlyHere: 'the length of the text',
  },
  {
    name: 'nested 21 deep',
    yaml: `${build}deploy: { agents: { labels: ${'{ a: '.repeat(19)}1${' }'.repeat(19)} } }\n`,
    faults: ['4:119 this is nested too deep: a manifest has at most 20 levels'],
  },
  {
    name: 'nested brackets',
    yaml: `${build}deploy: ${'['.repeat(400)}${']'.repeat(400)}\n`,
    faults: ['4:29 this is nested too deep: a manifest has at most 20 levels'],
  },
]
