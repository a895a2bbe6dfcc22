import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pythonTools } from '../../peers/python-tools.ts'

const packages = ['moto[server,s3,sts,iam,ec2,resourcegroupstaggingapi,organizations]==5.2.5']

export type Keys = { accessKeyId: string; secretAccessKey: string }

/** moto 5.2.5, which checks signatures, the policies of users and roles, and a trust policy's external id. */
export type Moto = {
  url: string
  port: number
  /** Calls of the AWS API that are not checked, such as the making of users. */
  setUp(calls: () => Promise<void>): Promise<void>
  /** How many calls from now on go unchecked: an unsigned one gets 500 while calls are checked. */
  leaveUnchecked(calls: number): Promise<void>
  /** A form call of a Query service (`iam`, `ec2`), within `setUp`; the answer is XML. */
  call(
    service: string,
    action: string,
    parameters: Record<string, string>,
    /** In place of the account that owns what belongs to none. */
    accountId?: string,
  ): Promise<string>
  /** A call of a JSON service, such as `AWSOrganizationsV20161128.ListAccounts`, within `setUp`. */
  callJson(service: string, target: string, parameters: object): Promise<Record<string, unknown>>
  /** A new user with this policy, and its keys. */
  user(name: string, actions: readonly string[]): Promise<Keys>
  stop(): Promise<void>
}

/** The folder of its programs, installed where they are not yet. */
export const motoBin = async (): Promise<string> => pythonTools('moto', packages)

export async function startMoto(): Promise<Moto> {
  const bin = await motoBin()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(join(bin, 'moto_server'), ['-H', '127.0.0.1', '-p', String(port)], {
    env: { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: '0' },
    stdio: 'ignore',
  })
  await waitFor(`${url}/moto-api/`)

  const leaveUnchecked = async (calls: number) => {
    const body = String(calls)
    await globalThis.fetch(`${url}/moto-api/reset-auth`, { method: 'POST', body })
  }
  const call: Moto['call'] = async (service, action, parameters, accountId) => {
    const answer = await globalThis.fetch(url, {
      method: 'POST',
      // moto reads the service and the region of an unchecked call from here.
      headers: {
        ...unsigned(service),
        'content-type': 'application/x-www-form-urlencoded',
        ...(accountId !== undefined && { 'x-moto-account-id': accountId }),
      },
      body: new URLSearchParams({
        Action: action,
        Version: versions[service] ?? '',
        ...parameters,
      }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${action}: ${answer.status} ${text}`)
    return text
  }
  return {
    url,
    port,
    call,
    leaveUnchecked,
    async callJson(service, target, parameters) {
      const answer = await globalThis.fetch(url, {
        method: 'POST',
        headers: {
          ...unsigned(service),
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': target,
        },
        body: JSON.stringify(parameters),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${target}: ${answer.status} ${text}`)
      return text === '' ? {} : JSON.parse(text)
    },
    async setUp(calls) {
      await leaveUnchecked(1_000_000)
      await calls()
      await leaveUnchecked(0)
    },
    async user(UserName, Action) {
      await call('iam', 'CreateUser', { UserName })
      const PolicyDocument = policyOf(Action)
      await call('iam', 'PutUserPolicy', { UserName, PolicyName: 'own', PolicyDocument })
      const made = await call('iam', 'CreateAccessKey', { UserName })
      const text = (element: string) => made.split(`<${element}>`)[1]?.split('<')[0] ?? ''
      return { accessKeyId: text('AccessKeyId'), secretAccessKey: text('SecretAccessKey') }
    },
    async stop() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

const unsigned = (service: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=setup/20261122/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=none`,
})

export const policyOf = (Action: readonly string[]): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action, Resource: '*' }],
  })

const versions: Record<string, string> = { iam: '2010-05-08', ec2: '2016-11-15' }

/** `freePort` of the harness would load the whole service. */
async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

async function waitFor(url: string): Promise<void> {
  const endsAt = Date.now() + 60_000
  while (Date.now() < endsAt) {
    const answer = await globalThis.fetch(url).catch(() => undefined)
    if (answer) return
    await sleep(100)
  }
  throw new Error('moto does not answer')
}
