import { Type, type Static } from 'typebox'
import {
  Choice,
  Duration,
  innerPath,
  InnerPath,
  Keys,
  Label,
  ListOf,
  Named,
  Whole,
  Words,
} from './shapes.ts'

const MaxFailures = Type.Optional(
  Whole([0, 1_000], {
    description: 'how many hosts may fail before all go back, a whole number from 0 to 1000',
    default: 0,
  }),
)

const Rolling = Keys(
  {
    kind: Type.Literal('rolling'),
    batch: Type.Optional(
      Type.Unsafe<number | string>({
        type: ['integer', 'string'],
        minimum: 1,
        maximum: 1_000,
        pattern: '^(?:[1-9][0-9]?|100)%$',
        description: 'how many hosts at once, a whole number from 1 to 1000, or a share as "25%"',
        default: '25%',
      }),
    ),
    pause: Type.Optional(
      Duration('24h', { of: 'the pause between batches', mayBeZero: true, usual: '0s' }),
    ),
    maxFailures: MaxFailures,
  },
  'a rolling strategy, an object with "kind"',
)

const Canary = Keys(
  {
    kind: Type.Literal('canary'),
    steps: Type.Unsafe<number[]>({
      type: 'array',
      items: Whole([1, 100], { description: 'a share of the hosts, a whole number from 1 to 100' }),
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      contains: { const: 100 },
      description: 'the shares of the hosts in per cent, rising, of which the last is 100',
    }),
    bake: Type.Optional(
      Duration('24h', { of: 'the time that a step is watched', mayBeZero: true, usual: '0s' }),
    ),
    confirm: Type.Optional(
      Choice(['none', 'first', 'each'], {
        description: 'after which steps somebody confirms, none, first or each',
        default: 'none',
      }),
    ),
    maxFailures: MaxFailures,
  },
  'a canary strategy, an object with "kind" and "steps"',
)

const BlueGreen = Keys(
  {
    kind: Type.Literal('blue-green'),
    confirm: Type.Optional(
      Choice(['none', 'each'], {
        description: 'whether somebody confirms before the switch, none or each',
        default: 'none',
      }),
    ),
    keepOld: Type.Optional(
      Duration('24h', {
        of: 'the time that the old release is kept',
        usual: '1h',
        mayBeZero: true,
      }),
    ),
  },
  'a blue-green strategy, an object with "kind"',
)

const AllAtOnce = Keys(
  { kind: Type.Literal('all-at-once'), maxFailures: MaxFailures },
  'an all-at-once strategy, an object with "kind"',
)

const kinds = [Rolling, Canary, BlueGreen, AllAtOnce] as const

export type StrategyDefinition = Static<(typeof kinds)[number]>

// `discriminator` has Ajv judge by the branch of the kind alone, so that its faults are the branch's own.
const Strategy = Type.Unsafe<StrategyDefinition>({
  type: 'object',
  required: ['kind'],
  discriminator: { propertyName: 'kind' },
  oneOf: kinds,
  description:
    'a strategy, an object whose "kind" is "rolling", "canary", "blue-green" or "all-at-once"',
})

const Hook = Type.Unsafe<string | { path: string; timeout?: string; repeatable?: boolean }>({
  type: ['string', 'object'],
  ...innerPath,
  properties: {
    path: InnerPath('a file of the artifact'),
    timeout: Duration('1h', { of: 'the time of the hook' }),
    repeatable: {
      type: 'boolean',
      description: 'whether the hook may be run again after it was cut, true or false',
      default: false,
    },
  },
  required: ['path'],
  additionalProperties: false,
  description:
    'a file of the artifact, a path below it, with "/", without ".." and not beginning with "/"; or an object with "path"',
})

const Hooks = Keys(
  {
    install: Type.Optional(Hook),
    activate: Type.Optional(Hook),
    health: Type.Optional(Hook),
    rollback: Type.Optional(Hook),
  },
  'the hooks, an object with "install", "activate", "health" and "rollback", each a file of the artifact',
)

const Probe = Keys(
  {
    url: Words(
      '^https?://[^\\u0000-\\u0020\\u007f/?#@\\\\]+(?:[/?][^\\u0000-\\u0020\\u007f#\\\\]*)?$',
      'the address that is asked, "http://" or "https://", without a name, a password and "#"',
    ),
    status: Type.Optional(
      Whole([100, 599], {
        description: 'the status of a healthy answer, a whole number from 100 to 599',
        default: 200,
      }),
    ),
    every: Type.Optional(Duration('1h', { of: 'the time between questions', usual: '10s' })),
  },
  'the probe, an object with "url"',
)

const labelForm = '^[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?$'
const labelInWords = 'letters, digits, ".", "_", "/" and "-" between letters or digits, at most 63'
const HostLabel = (of: string) => Words(labelForm, `${of}, ${labelInWords}`, { maxLength: 63 })

export const Deploy = Keys(
  {
    via: Type.Optional(
      Choice(['agents', 'workspace'], {
        description: 'what deploys, agents, or a run of the target workspace',
        default: 'agents',
      }),
    ),
    agents: Type.Optional(
      Keys(
        {
          labels: Type.Optional(
            Named(HostLabel('the value of a label'), {
              keys: HostLabel('the name of a label'),
              maxProperties: 20,
              description: 'the labels that an agent must have, each with a text',
            }),
          ),
        },
        'which agents, an object with "labels"',
      ),
    ),
    strategy: Type.Optional(Label('the name of a strategy', 100)),
    strategies: Type.Optional(
      Named(Strategy, {
        keys: Label('the name of a strategy', 100),
        maxProperties: 20,
        description: 'strategies by name, at most 20',
      }),
    ),
    hooks: Type.Optional(Hooks),
    hookTimeout: Type.Optional(
      Duration('1h', { of: 'the time of a hook that names none', usual: '5m' }),
    ),
    health: Type.Optional(
      Keys({ probe: Type.Optional(Probe) }, 'health as seen from outside, an object with "probe"'),
    ),
    keep: Type.Optional(
      Whole([2, 20], {
        description: 'how many releases stay on a host, a whole number from 2 to 20',
        default: 3,
      }),
    ),
    outputs: Type.Optional(
      ListOf(
        Words(
          '^[A-Za-z_][A-Za-z0-9_-]*$',
          'the name of an output of the target workspace, letters, digits, "_" and "-", beginning with a letter or "_"',
          {
            maxLength: 100,
          },
        ),
        {
          description: 'outputs of the target that hooks are given as CC_OUT_<NAME>, at most 50',
          maxItems: 50,
          uniqueItems: true,
        },
      ),
    ),
  },
  'the deployment, an object',
)
