import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { waitForLock } from '../../../engines/file-lock.ts'
import { engineCacheDir } from '../../../engines/resolve-binary.ts'
import { freePort } from '../../harness/create-harness.ts'
import { runPeer } from '../run-peer.ts'
import { awaitAnswer } from './await-answer.ts'
import { httpsFront } from './https-front.ts'

const version = '26.7.3'
const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`

/** Java, Maven (which gets Keycloak's own release) and unzip. */
export function canRunKeycloak(): boolean {
  const commands: Array<[string, string]> = [
    ['java', '-version'],
    ['mvn', '--version'],
    ['unzip', '-v'],
  ]
  const missing = commands.filter(([command, argument]) => {
    try {
      execFileSync(command, [argument], { stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })
  if (missing.length === 0) return true
  console.log(
    'skipped: install Java 17 or newer, Maven and unzip (Debian: default-jdk-headless maven unzip)',
  )
  return false
}

/** Keycloak's folder, got and built once and kept beside the engines. */
export async function installKeycloak(): Promise<string> {
  const peers = join(dirname(engineCacheDir(process.env['CC_CACHE_DIR'])), 'peers')
  const home = join(peers, 'keycloak')
  const folder = join(home, `keycloak-${version}`)
  const whole = join(home, `.whole-${version}`)
  mkdirSync(home, { recursive: true })
  const lock = await waitForLock(join(home, 'install.lock'), () =>
    console.log('keycloak: another run installs it, waiting'),
  )
  try {
    if (existsSync(whole)) return folder
    console.log(`keycloak: installing ${version}, which takes some minutes once`)
    const zip = join(peers, `keycloak-quarkus-dist-${version}.zip`)
    const steps: Array<[string, string[]]> = [
      [
        'mvn',
        ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${peers}`],
      ],
      ['unzip', ['-q', '-o', zip, '-d', home]],
      [join(folder, 'bin/kc.sh'), ['build', '--db=dev-mem', '--health-enabled=true']],
    ]
    for (const [program, args] of steps) {
      const { code, output } = await runPeer(program, args)
      if (code !== 0) throw new Error(`keycloak is not installed: ${output}`)
    }
    writeFileSync(whole, '')
    return folder
  } finally {
    lock.release()
  }
}

export type Keycloak = {
  /** Where browsers reach it. */
  origin: string
  /** A text is sent as XML, a form as one, anything else as JSON. */
  admin(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Response>
  close(): Promise<void>
}

const administrator = { username: 'admin', password: 'admin-of-a-test' }

export async function startKeycloak(folder: string): Promise<Keycloak> {
  const [port, backPort, managementPort] = [await freePort(), await freePort(), await freePort()]
  const front = await httpsFront(port, backPort)
  const child = spawn(
    join(folder, 'bin/kc.sh'),
    [
      'start',
      '--optimized',
      '--http-enabled=true',
      '--http-host=127.0.0.1',
      `--http-port=${backPort}`,
      `--http-management-port=${managementPort}`,
      '--cache=local',
      `--hostname=${front.origin}`,
      '--proxy-headers=xforwarded',
    ],
    {
      // A group of its own: kc.sh is a shell, and what is to be stopped is the Java below it.
      detached: true,
      stdio: 'ignore',
      env: {
        ...process.env,
        KC_BOOTSTRAP_ADMIN_USERNAME: administrator.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
        JAVA_OPTS_KC_HEAP: '-Xms128m -Xmx512m',
      },
    },
  )
  const back = `http://127.0.0.1:${backPort}`
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await front.close()
  }
  try {
    await awaitAnswer(`${back}/realms/master`, 400_000)
  } catch (error) {
    await stop()
    throw error
  }

  return {
    origin: front.origin,
    async admin(method, path, body) {
      const answer = await fetch(`${back}${path}`, {
        method,
        headers: {
          ...(path.startsWith('/admin') && { authorization: `Bearer ${await token(back)}` }),
          ...typeOf(body),
        },
        ...(body !== undefined && { body: sentAs(body) }),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return answer
    },
    close: stop,
  }
}

const sentAs = (body: unknown) =>
  typeof body === 'string' || body instanceof URLSearchParams ? body : JSON.stringify(body)

function typeOf(body: unknown): Record<string, string> {
  // `fetch` names the type of a form.
  if (body === undefined || body instanceof URLSearchParams) return {}
  return { 'content-type': typeof body === 'string' ? 'application/xml' : 'application/json' }
}

async function token(back: string): Promise<string> {
  const answer = await fetch(`${back}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: 'admin-cli',
      grant_type: 'password',
      ...administrator,
    }),
  })
  // Keycloak's own answer to its own protocol.
  const { access_token: accessToken } = (await answer.json()) as { access_token: string }
  return accessToken
}
