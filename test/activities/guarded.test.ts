import { ApplicationFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import pino from 'pino'
import { expect, test } from 'vitest'
import type { Deps } from '../../activities/deps.ts'
import { createActivities } from '../../activities/index.ts'

const secret = 'postgres://cc:hunter2@db'

/** A dependency that can be passed around, and throws whatever is called on it. */
const failing = (): object =>
  new Proxy(() => undefined, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => 'failing' : failing()),
    apply: () => {
      throw new Error(secret)
    },
  })

// Without it, the environment writes each failure to the terminal.
const logger = new DefaultLogger('ERROR')

// The type of each dependency does not matter: no call of one returns.
const deps = new Proxy(
  {},
  { get: (_, name) => (name === 'log' ? pino({ level: 'silent' }) : failing()) },
) as Deps

const { control, tofu } = createActivities(deps)

// An activity that is left out of the guard would write a library's text into Temporal's history.
test.each(Object.entries({ ...control, ...tofu }))(
  '%s renders an unknown error as a fixed text without a stack',
  async (_, activity) => {
    const environment = new MockActivityEnvironment({ attempt: 1 }, { logger })
    // Each activity takes one object of ids.
    const call = activity as (input: object) => Promise<unknown>
    const input = { organizationId: 1, runId: 1, connectionId: 1, hydrationId: 1, deliveryId: 1 }
    const failure = await environment.run(call, input).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(ApplicationFailure)
    const { message, type, stack, cause } = failure as ApplicationFailure
    expect({ message, type, stack, cause }).toEqual({
      message: 'a fault on our side; the log of the worker tells it',
      type: 'internal',
      stack: '',
      cause: undefined,
    })
  },
)
