import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { seccompFilter } from './seccomp-filter.ts'

export type EtcFiles = {
  /** bwrap's options that put an /etc together. */
  options: readonly string[]
  seccompFile: string | undefined
}

/**
 * The few files of /etc that programs expect; generated where the host's would reveal something. Each is replaced
 * atomically: the API and the worker of a host share the folder, and a step of one that starts while the other
 * starts up must not find an empty filter or half of the certificates.
 */
export async function etcFiles(workDir: string, extraCaFile?: string): Promise<EtcFiles> {
  const folder = join(workDir, 'etc')
  await mkdir(folder, { recursive: true })
  // Explicitly, because mkdir applies the umask.
  await chmod(folder, 0o711)
  const put = async (name: string, content: string | Buffer) => {
    const path = join(folder, name)
    const unfinished = `${path}.${randomBytes(6).toString('hex')}`
    try {
      await writeFile(unfinished, content)
      await chmod(unfinished, 0o644)
      await rename(unfinished, path)
    } finally {
      await rm(unfinished, { force: true })
    }
    return path
  }

  const options: string[] = []
  for (const path of fromHost) if (existsSync(path)) options.push('--ro-bind', path, path)
  for (const [name, content] of Object.entries(madeUp))
    options.push('--ro-bind', await put(name, content), `/etc/${name}`)

  if (extraCaFile && existsSync(authorities)) {
    const all = Buffer.concat([readFileSync(authorities), newline, readFileSync(extraCaFile)])
    options.push('--ro-bind', await put('ca-certificates.crt', all), authorities)
  }
  const filter = seccompFilter()
  return { options, seccompFile: filter && (await put('seccomp.bpf', filter)) }
}

const newline = Buffer.from('\n')
const authorities = '/etc/ssl/certs/ca-certificates.crt'

/** Never all of /etc/ssl: its `private` has the host's keys. */
const fromHost = [
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/services',
  '/etc/protocols',
]

const madeUp = {
  passwd: 'sandbox:x:1000:1000::/bench:/usr/sbin/nologin\n',
  group: 'sandbox:x:1000:\n',
  hosts: '127.0.0.1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\nservices: files\n',
  'resolv.conf': '',
}
