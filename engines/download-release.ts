import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Binary } from './binaries.ts'
import { runProgram } from './run-program.ts'
import { sayProgress } from './say-progress.ts'

type Options = { say: (line: string) => void; signal?: AbortSignal | undefined }

const connectTimeoutMs = 5_000
const downloadTimeoutMs = 300_000
const largestBytes = 512 * 1024 * 1024

// Hosts that did not answer. They are not tried for further programs: each try would take five seconds.
const unreachable = new Set<string>()

/** Downloads the official release for this platform and verifies its SHA-256 before it is run. */
export async function downloadRelease(
  binary: Binary,
  target: string,
  options: Options,
): Promise<void> {
  const release = binary.release
  if (!release) throw new Error('none for this platform')
  const file = new URL(release.url).pathname.split('/').pop() ?? ''
  const wanted = release.sha256 ?? readSum(await getText(release.sumsUrl, options), file)

  const archive = join(dirname(target), 'download')
  const progress = sayProgress(options.say, `${binary.name}: downloading ${release.url}`)
  try {
    await getFile(release.url, archive, options)
    const sum = createHash('sha256')
      .update(await readFile(archive))
      .digest('hex')
    if (sum !== wanted) throw new Error(`${release.url} has SHA-256 ${sum}, not ${wanted}`)
    if (release.member) {
      await runProgram('tar', {
        arguments: ['-xzf', archive, '-C', dirname(target), release.member],
        timeoutMs: 60_000,
      })
      const extracted = join(dirname(target), release.member)
      if (extracted !== target) await rename(extracted, target)
    } else await rename(archive, target)
    await chmod(target, 0o755)
  } finally {
    progress.end()
    await rm(archive, { force: true })
  }
}

function readSum(sums: string, file: string): string {
  for (const line of sums.split('\n')) {
    const [sum = '', name] = line.trim().split(/\s+\*?/)
    if (/^[0-9a-f]{64}$/.test(sum) && (name === undefined || name.endsWith(file))) return sum
  }
  throw new Error(`the published sums do not name ${file}`)
}

async function getText(url: string, options: Options): Promise<string> {
  const { response, done } = await request(url, options)
  try {
    return await response.text()
  } finally {
    done()
  }
}

async function getFile(url: string, path: string, options: Options): Promise<void> {
  const { response, done } = await request(url, options)
  try {
    if (!response.body) throw new Error(`${url} is empty`)
    if (Number(response.headers.get('content-length') ?? 0) > largestBytes)
      throw new Error(`${url} is larger than ${largestBytes} bytes`)
    // The XML parser's types add the DOM's streams. `fetch` returns Node's stream here.
    const body = response.body as unknown as ReadableStream
    await pipeline(Readable.fromWeb(body), createWriteStream(path))
  } finally {
    done()
  }
}

/** Sends a request. The response must begin within `connectTimeoutMs` and end within `downloadTimeoutMs`. */
async function request(
  url: string,
  options: Options,
): Promise<{ response: Response; done: () => void }> {
  const host = new URL(url).host
  if (unreachable.has(host)) throw new Error(`${host} could not be reached before`)
  const aborter = new AbortController()
  const connecting = setTimeout(() => aborter.abort(), connectTimeoutMs)
  const whole = setTimeout(() => aborter.abort(), downloadTimeoutMs)
  const onAbort = () => aborter.abort()
  options.signal?.addEventListener('abort', onAbort, { once: true })
  const done = () => {
    clearTimeout(connecting)
    clearTimeout(whole)
    options.signal?.removeEventListener('abort', onAbort)
  }
  try {
    const response = await fetch(url, { signal: aborter.signal })
    clearTimeout(connecting)
    if (!response.ok) throw new HttpError(`${url} answered ${response.status}`)
    return { response, done }
  } catch (error) {
    done()
    if (error instanceof HttpError) throw error
    unreachable.add(host)
    throw new Error(`${host} cannot be reached`, { cause: error })
  }
}

class HttpError extends Error {}
