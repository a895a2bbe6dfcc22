import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandbox } from '../../../gateways/sandbox/create-sandbox.ts'
import { findCommand } from '../../../gateways/sandbox/find-command.ts'
import { workFolderFor } from '../../../gateways/sandbox/work-folder-for.ts'
import { tofu, type TofuOptions } from '../../../gateways/tofu/tofu.ts'

/** The real OpenTofu in the real sandbox, with a state in memory. */
export async function tofuBench(program: string) {
  let state: Buffer | undefined
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method === 'POST') state = Buffer.concat(chunks)
      if (request.method !== 'GET') return response.end()
      if (state) return response.end(state)
      return response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-tofu-'))
  const workDir = workFolderFor(dataDir)
  const sandbox = await createSandbox({
    kind: findCommand('bwrap') ? 'bubblewrap' : 'process',
    workDir,
    slots: 2,
    programs: { tofu: program, sh: '/bin/sh' },
    // The server listens on a port, so `address` returns an object.
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    outbound: { privateHosts: [] },
    log: { info: () => undefined, warn: () => undefined },
  })

  return {
    sandbox,
    state: () => state?.toString(),
    /** A workbench of one run, its output, and its `close`. */
    async run(files: Record<string, string>, options: Partial<TofuOptions> = {}) {
      const bench = await sandbox.open({
        label: 'test',
        sizeBytes: 256 * 1024 * 1024,
        statePath: '/api/workspaces/1/state',
      })
      const lines: string[] = []
      const tool = tofu({
        bench,
        token: 'token',
        env: {},
        timeoutMs: 60_000,
        signal: AbortSignal.timeout(60_000),
        onLine: async (_stream, line) => void lines.push(line),
        ...options,
      })
      await tool.prepare(files)
      return { bench, tool, lines }
    },
    async close() {
      await sandbox.close()
      server.close()
      await rm(workDir, { recursive: true, force: true })
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
