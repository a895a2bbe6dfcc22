import { build, type BadManifest } from './bad-manifest.ts'

/** Values that the schema refuses, of the build. */
export const badBuilds: readonly BadManifest[] = [
  {
    name: 'no build',
    yaml: `version: 1
`,
    faults: [
      '1:1 the key "build" is missing: write the build, an object with "steps" and "artifact"',
    ],
  },
  {
    name: 'no artifact',
    yaml: `version: 1
build:
  steps: []
`,
    faults: [
      '3:3 build: the key "artifact" is missing: write what is released, an object with "path"',
    ],
  },
  {
    name: 'a version as a text',
    yaml: `version: "1"
build:
  artifact: { path: dist }
`,
    faults: ['1:10 version: "1" is wrong: write the version of this format, 1'],
  },
  {
    name: 'another version',
    yaml: `version: 2
build:
  artifact: { path: dist }
`,
    faults: ['1:10 version: 2 is wrong: write the version of this format, 1'],
  },
  {
    name: 'unknown keys',
    yaml: `${build}comment: x
constructor: y
`,
    faults: [
      '4:1 unknown key "comment": remove it, the keys here are version, build, deploy',
      '5:1 unknown key "constructor": remove it, the keys here are version, build, deploy',
    ],
  },
  {
    name: 'a misspelt step',
    yaml: `version: 1
build:
  steps:
    - comand: npm test
  artifact: { path: dist }
`,
    faults: ['4:7 build.steps[0]: unknown key "comand", did you mean "run"?'],
  },
  {
    name: 'a key of another system',
    yaml: `version: 1
build:
  steps:
    - script: npm test
      working-directory: web
  artifact: { path: dist }
`,
    faults: [
      '4:7 build.steps[0]: unknown key "script", did you mean "run"?',
      '5:7 build.steps[0]: unknown key "working-directory", did you mean "workdir"?',
    ],
  },
  {
    name: 'a step without run',
    yaml: `version: 1
build:
  steps:
    - name: test
  artifact: { path: dist }
`,
    faults: [
      '4:7 build.steps[0]: the key "run" is missing: write a script for "sh -e" of 1 to 65536 characters, without a NUL character',
    ],
  },
  {
    name: 'a step without anything',
    yaml: `version: 1
build:
  steps:
    -
  artifact: { path: dist }
`,
    faults: ['4:6 build.steps[0]: there is no value: write a step, an object with "run"'],
  },
  {
    name: 'run without a value',
    yaml: `version: 1
build:
  steps:
    - run:
  artifact: { path: dist }
`,
    faults: [
      '4:7 build.steps[0].run: there is no value: write a script for "sh -e" of 1 to 65536 characters, without a NUL character',
    ],
  },
  {
    name: 'an empty run',
    yaml: `version: 1
build:
  steps:
    - run: ""
  artifact: { path: dist }
`,
    faults: [
      '4:12 build.steps[0].run: "" is wrong: write a script for "sh -e" of 1 to 65536 characters, without a NUL character',
    ],
  },
  {
    name: 'run as a list',
    yaml: `version: 1
build:
  steps:
    - run: [npm, test]
  artifact: { path: dist }
`,
    faults: [
      '4:12 build.steps[0].run: a list is wrong: write a script for "sh -e" of 1 to 65536 characters, without a NUL character',
    ],
  },
  {
    name: 'steps as a text',
    yaml: `version: 1
build:
  steps: npm test
  artifact: { path: dist }
`,
    faults: [
      '3:10 build.steps: "npm test" is wrong: write the steps, in their order, at most 50; a list is ["npm test"]',
    ],
  },
  {
    name: 'steps as an object',
    yaml: `version: 1
build:
  steps: { run: a }
  artifact: { path: dist }
`,
    faults: ['3:10 build.steps: an object is wrong: write the steps, in their order, at most 50'],
  },
  {
    name: 'numbers and booleans as variables',
    yaml: `version: 1
build:
  steps:
    - run: a
      env: { PORT: 8080, CI: true, RATE: 1.50 }
  artifact: { path: dist }
`,
    faults: [
      '5:20 build.steps[0].env.PORT: 8080 is wrong: write a text of at most 32768 characters, without a NUL character; put it in quotes',
      '5:30 build.steps[0].env.CI: true is wrong: write a text of at most 32768 characters, without a NUL character; put it in quotes',
      '5:42 build.steps[0].env.RATE: 1.5 is wrong: write a text of at most 32768 characters, without a NUL character; put it in quotes',
    ],
  },
  {
    name: 'names of variables',
    yaml: `version: 1
build:
  steps:
    - run: a
      env: { a-b: x, 1A: x, CC_PHASE: x }
  artifact: { path: dist }
`,
    faults: [
      '5:14 build.steps[0].env: the key "a-b" is wrong: write the name of a variable, letters, digits and "_", not beginning with a digit or with "CC_", which the service sets',
      '5:22 build.steps[0].env: the key "1A" is wrong: write the name of a variable, letters, digits and "_", not beginning with a digit or with "CC_", which the service sets',
      '5:29 build.steps[0].env: the key "CC_PHASE" is wrong: write the name of a variable, letters, digits and "_", not beginning with a digit or with "CC_", which the service sets',
    ],
  },
  {
    name: 'a secret twice',
    yaml: `version: 1
build:
  secrets: [A, B, A]
  artifact: { path: dist }
`,
    faults: ['3:19 build.secrets[2]: this is there twice: remove one'],
  },
  {
    name: 'a name of two lines',
    yaml: `version: 1
build:
  steps:
    - { run: a, name: "b\\nforged" }
  artifact: { path: dist }
`,
    faults: [
      '4:23 build.steps[0].name: "b\\nforged" is wrong: write a name for the log, one line that begins with no space, of at most 100 characters',
    ],
  },
  {
    name: 'a NUL in a script',
    yaml: `version: 1
build:
  steps:
    - run: "a\\0"
  artifact: { path: dist }
`,
    faults: [
      '4:12 build.steps[0].run: "a\\u0000" is wrong: write a script for "sh -e" of 1 to 65536 characters, without a NUL character',
    ],
  },
  {
    name: 'durations',
    yaml: `version: 1
build:
  steps:
    - { run: a, timeout: 2h }
    - { run: a, timeout: 0s }
    - { run: a, timeout: 3601s }
    - { run: a, timeout: 61m }
    - { run: a, timeout: 90 }
    - { run: a, timeout: "1.5m" }
  artifact: { path: dist }
`,
    faults: [
      '4:26 build.steps[0].timeout: "2h" is wrong: write the time of the step, a duration in whole seconds, minutes or hours, as "90s", "20m" or "1h", of at most 1h',
      '5:26 build.steps[1].timeout: "0s" is wrong: write the time of the step, a duration in whole seconds, minutes or hours, as "90s", "20m" or "1h", of at most 1h',
      '6:26 build.steps[2].timeout: "3601s" is wrong: write the time of the step, a duration in whole seconds, minutes or hours, as "90s", "20m" or "1h", of at most 1h',
      '7:26 build.steps[3].timeout: "61m" is wrong: write the time of the step, a duration in whole seconds, minutes or hours, as "90s", "20m" or "1h", of at most 1h',
      '8:26 build.steps[4].timeout: 90 is wrong: write the time of the step, a duration in whole seconds, minutes or hours, as "90s", "20m" or "1h", of at most 1h',
      '9:26 build.steps[5].timeout: "1.5m" is wrong: write the time of the step, a duration in whole seconds, minutes or hours, as "90s", "20m" or "1h", of at most 1h',
    ],
  },
  {
    name: 'paths that leave their folder',
    yaml: `version: 1
build:
  cache: [{ path: ../up, key: [/etc/passwd] }]
  steps: [{ run: a, workdir: a/../.. }]
  artifact: { path: "C:\\\\dist", exclude: ["../**"] }
`,
    faults: [
      '3:19 build.cache[0].path: "../up" is wrong: write the folder that is kept, a path below it, with "/", without ".." and not beginning with "/"',
      '3:32 build.cache[0].key[0]: "/etc/passwd" is wrong: write a file of the source, a path below it, with "/", without ".." and not beginning with "/"',
      '4:30 build.steps[0].workdir: "a/../.." is wrong: write the folder of the source that the step begins in, a path below it, with "/", without ".." and not beginning with "/"',
      '5:21 build.artifact.path: "C:\\\\dist" is wrong: write the folder of the source that is released, a path below it, with "/", without ".." and not beginning with "/"',
      '5:43 build.artifact.exclude[0]: "../**" is wrong: write files that are left out, a pattern of paths, as "**/*.map", that does not leave its folder',
    ],
  },
  {
    name: 'memory',
    yaml: `version: 1
build:
  memory: 2GB
  artifact: { path: dist }
`,
    faults: [
      '3:11 build.memory: "2GB" is wrong: write the memory of a step, a whole number of MiB or GiB, as "512MiB" or "2GiB"',
    ],
  },
  {
    name: 'a network',
    yaml: `version: 1
build:
  network: Public
  artifact: { path: dist }
`,
    faults: ['3:12 build.network: "Public" is wrong, did you mean "public"?'],
  },
  {
    name: 'a cache without files',
    yaml: `version: 1
build:
  cache: [{ path: .npm, key: [] }]
  artifact: { path: dist }
`,
    faults: [
      '3:30 build.cache[0].key: 0 entries are too few, 1 at least: write the files whose contents name the cache, 1 to 20',
    ],
  },
  {
    name: '51 steps',
    yaml: `version: 1
build:
  steps: [${'{ run: a }, '.repeat(51)}]
  artifact: { path: dist }
`,
    faults: [
      '3:10 build.steps: 51 entries are too many, 50 at most: write the steps, in their order, at most 50',
    ],
  },
]
