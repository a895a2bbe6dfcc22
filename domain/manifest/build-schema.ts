import { Type } from 'typebox'
import {
  Choice,
  Duration,
  Glob,
  InnerPath,
  Keys,
  Label,
  ListOf,
  Named,
  VariableName,
  withoutNul,
  Words,
} from './shapes.ts'

const EnvValue = Type.String({
  maxLength: 32_768,
  pattern: withoutNul,
  description: 'a text of at most 32768 characters, without a NUL character',
})

const Secrets = (of: string) =>
  ListOf(VariableName('the name of a sensitive build variable'), {
    description: of,
    maxItems: 50,
    uniqueItems: true,
  })

const Step = Keys(
  {
    name: Type.Optional(Label('a name for the log', 100)),
    run: Type.String({
      minLength: 1,
      maxLength: 65_536,
      pattern: withoutNul,
      description: 'a script for "sh -e" of 1 to 65536 characters, without a NUL character',
    }),
    workdir: Type.Optional(
      InnerPath('the folder of the source that the step begins in', { default: '.' }),
    ),
    env: Type.Optional(
      Named(EnvValue, {
        keys: VariableName('the name of a variable'),
        maxProperties: 100,
        description: 'variables of the step, each with a text',
      }),
    ),
    secrets: Type.Optional(Secrets('the sensitive build variables that the step is given')),
    timeout: Type.Optional(Duration('1h', { of: 'the time of the step' })),
  },
  'a step, an object with "run"',
)

const Cache = Keys(
  {
    path: InnerPath('the folder that is kept'),
    key: ListOf(InnerPath('a file of the source'), {
      description: 'the files whose contents name the cache, 1 to 20',
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
    }),
  },
  'a cache, an object with "path" and "key"',
)

const Artifact = Keys(
  {
    path: InnerPath('the folder of the source that is released'),
    include: Type.Optional(
      ListOf(Glob('files that are released'), {
        description: 'the patterns of what is released, all by default',
        minItems: 1,
        maxItems: 100,
      }),
    ),
    exclude: Type.Optional(
      ListOf(Glob('files that are left out'), {
        description: 'the patterns of what is left out',
        maxItems: 100,
      }),
    ),
  },
  'what is released, an object with "path"',
)

export const Build = Keys(
  {
    network: Type.Optional(
      Choice(['none', 'public'], {
        description: 'the network of the steps, none, or public where the organization allows it',
        default: 'none',
      }),
    ),
    timeout: Type.Optional(Duration('1h', { of: 'the time of all steps together', usual: '1h' })),
    memory: Type.Optional(
      Words(
        '^[1-9][0-9]{0,5}(?:MiB|GiB)$',
        'the memory of a step, a whole number of MiB or GiB, as "512MiB" or "2GiB"',
        { maxLength: 9 },
      ),
    ),
    secrets: Type.Optional(Secrets('the sensitive build variables that steps may name')),
    cache: Type.Optional(
      ListOf(Cache, { description: 'folders that are kept between builds', maxItems: 20 }),
    ),
    steps: Type.Optional(
      ListOf(Step, { description: 'the steps, in their order, at most 50', maxItems: 50 }),
    ),
    artifact: Artifact,
  },
  'the build, an object with "steps" and "artifact"',
)
