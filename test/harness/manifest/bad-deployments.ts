import { build, type BadManifest } from './bad-manifest.ts'

/** Values that the schema refuses, of the deployment. */
export const badDeployments: readonly BadManifest[] = [
  {
    name: 'no deployment',
    yaml: `${build}deploy:
`,
    faults: ['4:1 deploy: there is no value: write the deployment, an object'],
  },
  {
    name: 'via',
    yaml: `${build}deploy:
  via: agent
`,
    faults: ['5:8 deploy.via: "agent" is wrong, did you mean "agents"?'],
  },
  {
    name: 'keep',
    yaml: `${build}deploy:
  keep: 1
`,
    faults: [
      '5:9 deploy.keep: 1 is wrong: write how many releases stay on a host, a whole number from 2 to 20',
    ],
  },
  {
    name: 'keep as a text',
    yaml: `${build}deploy:
  keep: "3"
`,
    faults: [
      '5:9 deploy.keep: "3" is wrong: write how many releases stay on a host, a whole number from 2 to 20',
    ],
  },
  {
    name: 'hooks outside of the artifact',
    yaml: `${build}deploy:
  hooks:
    install: ../install
    activate: /bin/sh
    health: { path: a/../../b }
`,
    faults: [
      '6:14 deploy.hooks.install: "../install" is wrong: write a file of the artifact, a path below it, with "/", without ".." and not beginning with "/"; or an object with "path"',
      '7:15 deploy.hooks.activate: "/bin/sh" is wrong: write a file of the artifact, a path below it, with "/", without ".." and not beginning with "/"; or an object with "path"',
      '8:21 deploy.hooks.health.path: "a/../../b" is wrong: write a file of the artifact, a path below it, with "/", without ".." and not beginning with "/"',
    ],
  },
  {
    name: 'a hook without a path',
    yaml: `${build}deploy:
  hooks: { health: { timeout: 5m } }
`,
    faults: [
      '5:20 deploy.hooks.health: the key "path" is missing: write a file of the artifact, a path below it, with "/", without ".." and not beginning with "/"',
    ],
  },
  {
    name: 'a hook that is a list',
    yaml: `${build}deploy:
  hooks: { health: [a] }
`,
    faults: [
      '5:20 deploy.hooks.health: a list is wrong: write a file of the artifact, a path below it, with "/", without ".." and not beginning with "/"; or an object with "path"',
    ],
  },
  {
    name: 'yes is a text',
    yaml: `${build}deploy:
  hooks: { activate: { path: a, repeatable: yes } }
`,
    faults: [
      '5:45 deploy.hooks.activate.repeatable: "yes" is wrong: write whether the hook may be run again after it was cut, true or false',
    ],
  },
  {
    name: 'an unknown hook',
    yaml: `${build}deploy:
  hooks: { start: hooks/start }
`,
    faults: ['5:12 deploy.hooks: unknown key "start", did you mean "activate"?'],
  },
  {
    name: 'a kind of strategy',
    yaml: `${build}deploy:
  strategies: { a: { kind: recreate }, b: {}, c: { kind: 1 }, d: }
`,
    faults: [
      '5:28 deploy.strategies.a.kind: "recreate" is wrong: write "rolling", "canary", "blue-green" or "all-at-once"',
      '5:43 deploy.strategies.b: the key "kind" is missing: write "rolling", "canary", "blue-green" or "all-at-once"',
      '5:58 deploy.strategies.c.kind: 1 is wrong: write "rolling", "canary", "blue-green" or "all-at-once"',
      '5:63 deploy.strategies.d: there is no value: write a strategy, an object whose "kind" is "rolling", "canary", "blue-green" or "all-at-once"',
    ],
  },
  {
    name: 'batches',
    yaml: `${build}deploy:
  strategies:
    a: { kind: rolling, batch: 0 }
    b: { kind: rolling, batch: "0%" }
    c: { kind: rolling, batch: "101%" }
    d: { kind: rolling, batch: 2.5 }
`,
    faults: [
      '6:32 deploy.strategies.a.batch: 0 is wrong: write how many hosts at once, a whole number from 1 to 1000, or a share as "25%"',
      '7:32 deploy.strategies.b.batch: "0%" is wrong: write how many hosts at once, a whole number from 1 to 1000, or a share as "25%"',
      '8:32 deploy.strategies.c.batch: "101%" is wrong: write how many hosts at once, a whole number from 1 to 1000, or a share as "25%"',
      '9:32 deploy.strategies.d.batch: 2.5 is wrong: write how many hosts at once, a whole number from 1 to 1000, or a share as "25%"',
    ],
  },
  {
    name: 'a key of another kind',
    yaml: `${build}deploy:
  strategies: { a: { kind: rolling, steps: [100] } }
`,
    faults: [
      '5:37 deploy.strategies.a: unknown key "steps": remove it, the keys here are kind, batch, pause, maxFailures',
    ],
  },
  {
    name: 'a canary that does not end',
    yaml: `${build}deploy:
  strategies: { a: { kind: canary, steps: [5, 25] } }
`,
    faults: [
      '5:43 deploy.strategies.a.steps: 100 is missing: write the shares of the hosts in per cent, rising, of which the last is 100',
    ],
  },
  {
    name: 'shares of a canary',
    yaml: `${build}deploy:
  strategies: { a: { kind: canary, steps: [0, 100, 100, 5%] } }
`,
    faults: [
      '5:44 deploy.strategies.a.steps[0]: 0 is wrong: write a share of the hosts, a whole number from 1 to 100',
      '5:52 deploy.strategies.a.steps[2]: this is there twice: remove one',
      '5:57 deploy.strategies.a.steps[3]: "5%" is wrong: write a share of the hosts, a whole number from 1 to 100',
    ],
  },
  {
    name: 'a canary without steps',
    yaml: `${build}deploy:
  strategies: { a: { kind: canary } }
`,
    faults: [
      '5:20 deploy.strategies.a: the key "steps" is missing: write the shares of the hosts in per cent, rising, of which the last is 100',
    ],
  },
  {
    name: 'confirmation',
    yaml: `${build}deploy:
  strategies: { a: { kind: blue-green, confirm: first } }
`,
    faults: [
      '5:49 deploy.strategies.a.confirm: "first" is wrong: write whether somebody confirms before the switch, none or each',
    ],
  },
  {
    name: 'labels',
    yaml: `${build}deploy:
  agents: { labels: { "a=b": c, d: "" , e: 1 } }
`,
    faults: [
      '5:23 deploy.agents.labels: the key "a=b" is wrong: write the name of a label, letters, digits, ".", "_", "/" and "-" between letters or digits, at most 63',
      '5:36 deploy.agents.labels.d: "" is wrong: write the value of a label, letters, digits, ".", "_", "/" and "-" between letters or digits, at most 63',
      '5:44 deploy.agents.labels.e: 1 is wrong: write the value of a label, letters, digits, ".", "_", "/" and "-" between letters or digits, at most 63; put it in quotes',
    ],
  },
  {
    name: 'a probe',
    yaml: `${build}deploy:
  health: { probe: { url: "ftp://a", status: 600 } }
`,
    faults: [
      '5:27 deploy.health.probe.url: "ftp://a" is wrong: write the address that is asked, "http://" or "https://", without a name, a password and "#"',
      '5:46 deploy.health.probe.status: 600 is wrong: write the status of a healthy answer, a whole number from 100 to 599',
    ],
  },
  {
    name: 'a probe with a password',
    yaml: `${build}deploy:
  health: { probe: { url: "https://a:b@c" } }
`,
    faults: [
      '5:27 deploy.health.probe.url: "https://a:b@c" is wrong: write the address that is asked, "http://" or "https://", without a name, a password and "#"',
    ],
  },
  {
    name: 'outputs',
    yaml: `${build}deploy:
  outputs: [1a, b c]
`,
    faults: [
      '5:13 deploy.outputs[0]: "1a" is wrong: write the name of an output of the target workspace, letters, digits, "_" and "-", beginning with a letter or "_"',
      '5:17 deploy.outputs[1]: "b c" is wrong: write the name of an output of the target workspace, letters, digits, "_" and "-", beginning with a letter or "_"',
    ],
  },
  {
    name: 'a fault inside of an alias',
    yaml: `version: 1
build:
  steps:
    - run: a
      env: &env { A: 1 }
    - run: b
      env: *env
  artifact: { path: dist }
`,
    faults: [
      '5:22 build.steps[0].env.A: 1 is wrong: write a text of at most 32768 characters, without a NUL character; put it in quotes',
      '5:22 build.steps[1].env.A: 1 is wrong: write a text of at most 32768 characters, without a NUL character; put it in quotes',
    ],
  },
  {
    name: 'an alias as a bad value',
    yaml: `${build}deploy:
  hookTimeout: &t 2h
  hooks: { health: { path: a, timeout: *t } }
`,
    faults: [
      '5:19 deploy.hookTimeout: "2h" is wrong: write the time of a hook that names none, a duration in whole seconds, minutes or hours, as "90s", "20m" or "1h", of at most 1h',
      '6:40 deploy.hooks.health.timeout: "2h" is wrong: write the time of the hook, a duration in whole seconds, minutes or hours, as "90s", "20m" or "1h", of at most 1h',
    ],
  },
]
