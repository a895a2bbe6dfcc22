import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { giantCloud } from './giant-cloud.ts'
import type { BenchOrganization } from './organization.ts'
import { makeWorkspaceOf } from './organization.ts'

export type Attack = {
  name: string
  /** Repeats the attack once. Returns when its answer has arrived or its run is over. */
  strike(): Promise<void>
}

export type Target = { address: string; cloudPort: number; organization: BenchOrganization }

type Run = { id: number; state: string; reason: string | null }

/** How long an attacker waits for its own run before it continues. */
const ownRunMs = 90_000

/** Refusals are expected, so the attacker continues with its next attempt. */
const refused = () => undefined

/** Inputs of one tenant that once stalled or killed the service for all tenants. */
export async function makeAttacks(target: Target): Promise<Attack[]> {
  return Promise.all([
    manySecrets(target),
    oneLongSecret(target),
    slowLines(target),
    giantPlan(target),
    sharedMemory(target),
    deepState(target),
    unreadStreams(target),
    largeSignIn(target),
    giantCloud(target),
    largeConfiguration(target),
  ])
}

const noise = (length: number, at: number): string =>
  Array.from({ length: Math.ceil(length / 8) }, (_, index) =>
    ((index * 2_654_435_761 + at * 40_503) >>> 0).toString(36).padStart(8, 'x'),
  )
    .join('')
    .slice(0, length)

async function manySecrets(target: Target): Promise<Attack> {
  const { call } = target.organization
  const id = await makeWorkspaceOf(target.organization, 'many-secrets', empty)
  for (let at = 0; at < 200; at += 1)
    await call('POST', `/workspaces/${id}/variables`, {
      key: `SECRET_${at}`,
      kind: 'env',
      sensitive: true,
      value: noise(64_000, at),
    }).catch(refused)
  return runAttack(target, '200 secrets of 64 KB', id)
}

async function oneLongSecret(target: Target): Promise<Attack> {
  const { call } = target.organization
  const id = await makeWorkspaceOf(target.organization, 'long-secret', empty)
  await call('POST', `/workspaces/${id}/variables`, {
    key: 'SECRET',
    kind: 'env',
    sensitive: true,
    value: noise(40_000, 7),
  }).catch(refused)
  return runAttack(target, 'a secret of 40 KB', id)
}

const empty = { 'main.tf': 'resource "terraform_data" "one" { input = timestamp() }\n' }

const script = (name: string, command: string) => ({
  'main.tf': `resource "terraform_data" "${name}" {
  triggers_replace = timestamp()
  provisioner "local-exec" {
    interpreter = ["/bin/sh", "-c"]
    command     = ${JSON.stringify(command)}
  }
}
`,
})

/**
 * A shape of token that a careless regular expression reads in quadratic time, in lines of the
 * maximum length.
 */
async function slowLines(target: Target): Promise<Attack> {
  const line = `head -c 60000 /dev/zero | sed 's/\\x00/eyJ-/g'; echo`
  const id = await makeWorkspaceOf(
    target.organization,
    'slow-lines',
    script('lines', `for i in 1 2 3 4 5 6 7 8 9 10; do ${line}; done`),
  )
  return runAttack(target, 'lines of eyJ-', id)
}

async function giantPlan(target: Target): Promise<Attack> {
  const id = await makeWorkspaceOf(target.organization, 'giant-plan', {
    'main.tf': `locals { part = join("", [for n in range(1000) : format("%01000d", n)]) }
resource "terraform_data" "many" {
  count = 80
  input = "\${local.part}\${count.index}\${timestamp()}"
}
`,
  })
  return runAttack(target, 'a plan of 80 MB', id)
}

/** Shared mappings belong to no process, so a memory limit per process does not count them. */
async function sharedMemory(target: Target): Promise<Attack> {
  const python = `import mmap,time
m=mmap.mmap(-1, 5<<30)
for i in range(0, 5<<30, 1<<12): m[i]=1
time.sleep(5)`
  const id = await makeWorkspaceOf(
    target.organization,
    'shared-memory',
    script('memory', `python3 -c '${python}'`),
  )
  return runAttack(target, '5 GiB of shared memory', id)
}

/** A state whose output is nested too deeply for a recursive parser, and its readers. */
async function deepState({ address, organization }: Target): Promise<Attack> {
  const id = await makeWorkspaceOf(organization, 'deep-state', empty)
  const deep = '['.repeat(200_000) + ']'.repeat(200_000)
  let serial = 0
  return {
    name: 'outputs 200,000 deep',
    async strike() {
      serial += 1
      const body = `{"version":4,"terraform_version":"1.12.6","serial":${serial},"lineage":"deep","outputs":{"deep":{"value":${deep},"type":"dynamic"}},"resources":[]}`
      await send(`${address}/workspaces/${id}/state`, { method: 'POST', organization, body })
      for (let at = 0; at < 5; at += 1)
        await organization.call('GET', `/workspaces/${id}/outputs`).catch(refused)
    },
  }
}

/** Opens 700 log streams of a run and reads none of them. */
async function unreadStreams({ address, organization }: Target): Promise<Attack> {
  const id = await makeWorkspaceOf(
    organization,
    'streams',
    script('lines', 'seq 1 200000; sleep 20'),
  )
  return {
    name: '700 unread log streams',
    async strike() {
      const { body } = await organization.call('POST', `/workspaces/${id}/apply`, {})
      const run = body['run'] as Run
      const close = new AbortController()
      for (let at = 0; at < 700; at += 1) {
        const url = `${address}/workspaces/${id}/runs/${run.id}/logs?stage=apply`
        const asked = request(url, {
          headers: { accept: 'text/event-stream', cookie: organization.cookie() },
          signal: close.signal,
          agent: false,
        })
        asked.on('response', (answer) => answer.pause())
        asked.on('error', refused)
        asked.end()
        await sleep(5)
      }
      await sleep(10_000)
      close.abort()
      await ended(organization, id, run.id)
    },
  }
}

async function largeSignIn({ address }: Target): Promise<Attack> {
  const body = `{"email":"a@b.example","password":"x","more":[${'{"a":1},'.repeat(100_000)}0]}`
  return {
    name: 'sign-in bodies of 800 KB',
    async strike() {
      for (let at = 0; at < 10; at += 1)
        await send(`${address}/auth/login`, { method: 'POST', body })
    },
  }
}

/** A configuration of many files, which is refused, and one of 9 MB that is slow to look through. */
async function largeConfiguration({ address, organization }: Target): Promise<Attack> {
  const id = await makeWorkspaceOf(organization, 'large-configuration', empty)
  const names = Array.from({ length: 700_000 }, (_, at) => `"${at.toString(36)}.tf":""`)
  const words = `# terraform encryption\n${'a = "${b}" '.repeat(800_000)}`
  const bodies = [`{"files":{${names.join(',')}}}`, JSON.stringify({ files: { 'main.tf': words } })]
  return {
    name: 'configurations of 9 MB',
    async strike() {
      for (const body of bodies)
        await send(`${address}/workspaces/${id}/configuration`, {
          method: 'PUT',
          organization,
          body,
        })
    },
  }
}

/** A run of the attacker, and a reader who opens its page repeatedly. */
function runAttack({ organization }: Target, name: string, id: number): Attack {
  return {
    name,
    async strike() {
      const started = await organization
        .call('POST', `/workspaces/${id}/apply`, {})
        .catch(() => undefined)
      // If the workspace still has a live run, the attack waits for that run.
      const run = started?.body['run'] as Run | undefined
      if (!run) return sleep(2_000)
      await ended(organization, id, run.id)
      for (let at = 0; at < 6; at += 1)
        await organization.call('GET', `/workspaces/${id}/runs/${run.id}`).catch(refused)
    },
  }
}

async function ended({ call }: BenchOrganization, id: number, runId: number): Promise<void> {
  const giveUpAt = Date.now() + ownRunMs
  while (Date.now() < giveUpAt) {
    const answer = await call('GET', `/workspaces/${id}/runs/${runId}`).catch(() => undefined)
    const run = answer?.body['run'] as Run | undefined
    if (run && run.state !== 'running') return
    await sleep(500)
  }
}

type Sent = { method: string; body: string; organization?: BenchOrganization }

/** Sends a text unchanged, and reads the answer whatever it is. Rejects if nobody listens, for a pause before the next. */
function send(url: string, { method, body, organization }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        origin: new URL(url).origin,
        ...(organization && { cookie: organization.cookie() }),
      },
      agent: false,
    })
    asked.on('response', (answer) => {
      answer.resume()
      answer.on('close', () => resolve(answer.statusCode ?? 0))
    })
    asked.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNREFUSED' ? reject(error) : resolve(0),
    )
    asked.end(body)
  })
}
