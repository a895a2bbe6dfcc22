import { build, type BadManifest } from './bad-manifest.ts'

/** What is wrong with the text, before any value is looked at. */
export const badTexts: readonly BadManifest[] = [
  {
    name: 'nothing',
    yaml: ``,
    faults: ['1:1 the manifest is empty: begin with "version: 1", or take a starter'],
  },
  {
    name: 'comments alone',
    yaml: `
# nothing yet
`,
    faults: ['1:1 the manifest is empty: begin with "version: 1", or take a starter'],
  },
  {
    name: 'a tab as indentation',
    yaml: `${build}deploy:
\tvia: agents
`,
    faults: ['5:1 a tab indents this line: indent by spaces'],
  },
  {
    name: 'a tab before a key',
    yaml: `version: 1
\tbuild: {}
`,
    faults: ['2:1 a tab indents this line: indent by spaces'],
  },
  {
    name: 'a key twice',
    yaml: `${build}version: 1
`,
    faults: ['4:1 the key "version" is there twice: remove one, or join both'],
  },
  {
    name: 'a key twice in a step',
    yaml: `version: 1
build:
  steps:
    - { run: a, name: b, run: c }
  artifact: { path: dist }
`,
    faults: ['4:26 the key "run" is there twice: remove one, or join both'],
  },
  {
    name: 'two documents',
    yaml: `${build}---
version: 1
build:
  artifact: { path: dist }
`,
    faults: [
      '4:1 a second document begins here, and a manifest is one: remove the "---" and what belongs to another file',
    ],
  },
  {
    name: 'a directive',
    yaml: `%YAML 1.1
---
version: 1
build:
  artifact: { path: dist }
`,
    faults: ['1:1 a directive is refused: remove the line, a manifest is YAML 1.2'],
    onlyHere: 'YAML allows one',
  },
  {
    name: 'an alias without anchor',
    yaml: `${build}deploy: *nowhere
`,
    faults: [
      '4:9 the alias "*nowhere" has no anchor before it: write the same name with "&" before the value that it means',
    ],
  },
  {
    name: 'an alias within its anchor',
    yaml: `${build}deploy: &self
  agents: *self
`,
    faults: ['5:11 the alias "*self" is inside of its own anchor: write the value out'],
    stopsPeer: true,
  },
  {
    name: 'an open quote',
    yaml: `${build}deploy: { strategy: "rolling }
`,
    faults: ['4:21 this quote is not closed: close it, with the same sign'],
  },
  {
    name: 'an open bracket',
    yaml: `${build}deploy: [
`,
    faults: ['5:1 a "[" or "{" before this is not closed: close it, and indent what is between'],
  },
  {
    name: 'lines that do not align',
    yaml: `${build}deploy:
   via: agents
  keep: 3
`,
    faults: ['6:3 this is indented by more or fewer spaces than what it belongs to: align it'],
  },
  {
    name: 'a text that begins with @',
    yaml: `${build}deploy:
  strategy: @x
`,
    faults: ['5:13 a plain text cannot begin with this character: put the text in quotes'],
  },
  {
    name: 'two keys on a line',
    yaml: `${build}deploy: via: agents
`,
    faults: [
      '4:9 a list or an object begins on the line of another key: put it on its own line, or the text in quotes',
    ],
  },
  {
    name: 'a list inside of { }',
    yaml: `${build}deploy: {
  - a
  }
`,
    faults: [
      '5:3 a key is a list, an object or an alias: write it as a plain text',
      '5:3 a list with "-" or an object by lines cannot be inside of [ ] or { }: write it with [ ] or { }',
    ],
  },
  {
    name: 'an escape that is not there',
    yaml: `${build}deploy:
  strategy: "\\q"
`,
    faults: [
      '5:14 no such escape in double quotes: write "\\\\" for a backslash, or use single quotes',
    ],
  },
  {
    name: 'a list as a key',
    yaml: `${build}? [a]
: 1
`,
    faults: ['4:3 a key is a list, an object or an alias: write it as a plain text'],
  },
  {
    name: 'two anchors',
    yaml: `${build}deploy:
  keep: &a &b 3
`,
    faults: ['5:12 a value has two anchors: remove one'],
  },
  {
    name: 'a comma too many',
    yaml: `version: 1
build:
  steps:
    - { run: a,, name: b }
  artifact: { path: dist }
`,
    faults: [
      '4:16 this is not expected here: Unexpected , in flow map; correct the indentation, the comma or the quotes before it',
    ],
  },
  {
    name: 'a control character',
    yaml: `version: 1
build:
  steps:
    - run: a\u0007b
  artifact: { path: dist }
`,
    faults: [
      '4:13 the control character U+0007 is refused: remove it, or write "\\u0007" in double quotes',
    ],
  },
  {
    name: 'a tag of YAML',
    yaml: `${build}deploy:
  keep: !!int "3"
`,
    faults: ['5:15 the tag "!!int" is refused: remove it, and put a text in quotes'],
    onlyHere: 'YAML allows it',
  },
  {
    name: 'a tag of its own',
    yaml: `${build}deploy:
  strategy: !env NAME
`,
    faults: ['5:18 the tag "!env" is refused: remove it, and put a text in quotes'],
  },
  {
    name: 'a merge key',
    yaml: `version: 1
build:
  steps:
    - &first { run: a }
    - { <<: *first, name: b }
  artifact: { path: dist }
`,
    faults: [
      '5:9 merge keys ("<<") are refused: write the keys out, or use an alias for a whole value',
    ],
    onlyHere: 'YAML 1.1 allows it, and so does the peer',
  },
  {
    name: 'the key __proto__',
    yaml: `${build}__proto__: 1
`,
    faults: ['4:1 the key "__proto__" is refused: remove it'],
  },
  {
    name: 'a text',
    yaml: `deploy it
`,
    faults: ['1:1 "deploy it" is wrong: write a manifest, an object with "version" and "build"'],
  },
  {
    name: 'a list',
    yaml: `- version: 1
`,
    faults: ['1:1 a list is wrong: write a manifest, an object with "version" and "build"'],
  },
]
