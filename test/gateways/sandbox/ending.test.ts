import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, rmSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBwrap, limits, sh, type ShellSandbox, shellSandbox, why } from './shell-sandbox.ts'

const kinds = [
  ['bubblewrap', hasBwrap],
  ['process', process.platform === 'linux'],
] as const

for (const [kind, possible] of kinds)
  describe.skipIf(!possible)(`the end of a step in ${kind} (${why})`, () => {
    let shell: ShellSandbox
    beforeAll(async () => {
      shell = await shellSandbox({ kind })
    })
    afterAll(() => shell?.close())

    test('exit codes, lines of both streams and long lines', async () => {
      const bench = await shell.open()
      const lines: string[][] = []
      const end = await sh(bench, 'echo one; echo two >&2; printf %070000d 1; exit 3', {
        onLine: (stream, line) => void lines.push([stream, line]),
      })
      expect(end).toMatchObject({ how: 'exited', exitCode: 3, signal: null })
      expect(lines).toContainEqual(['stdout', 'one'])
      expect(lines).toContainEqual(['stderr', 'two'])
      const long = lines.find(([, line]) => line?.startsWith('000'))?.[1]
      expect(long).toMatch(/… \[line cut\]$/)
      expect(long?.length).toBe(65_536 + ' [line cut]'.length + 1)
      await bench.close()
    })

    test('a cancel sends SIGINT and lets the program end by itself', async () => {
      const bench = await shell.open()
      const cancel = new AbortController()
      const end = await sh(
        bench,
        'trap "echo saved; exit 7" INT; echo up; while :; do sleep 0.05; done',
        {
          signal: cancel.signal,
          onLine: (_stream, line) => {
            lines.push(line)
            if (line === 'up') cancel.abort()
          },
        },
      )
      expect(lines).toContain('saved')
      expect(end).toMatchObject({ how: 'canceled', exitCode: 7 })
      await bench.close()
    })
    const lines: string[] = []

    test('a cancel kills children that ignore SIGINT, in any session', async () => {
      const bench = await shell.open()
      const cancel = new AbortController()
      const script =
        '(trap "" INT TERM HUP; exec -a orphan-test sleep 77) & (trap "" INT; setsid sleep 78) & trap "" INT; echo up; wait; sleep 79'
      const started = performance.now()
      const end = await sh(bench, script, {
        signal: cancel.signal,
        onLine: () => setTimeout(() => cancel.abort(), 100).unref() && undefined,
      })
      expect(end.how).toBe('canceled')
      expect(performance.now() - started).toBeGreaterThan(500)
      expect(sleepers(['77', '78', '79'])).toEqual([])
      await bench.close()
    })

    test('a step without output, and one above its time limit, is ended', async () => {
      const bench = await shell.open()
      const quiet = await sh(bench, 'sleep 30', { limits: { ...limits, silenceMs: 300 } })
      expect(quiet.how).toBe('silent')
      const slow = await sh(bench, 'while sleep 0.1; do echo; done', {
        limits: { ...limits, timeoutMs: 400 },
      })
      expect(slow.how).toBe('timed_out')
      await bench.close()
    })

    test('a step above the limit of captured output is ended; below it the output is returned', async () => {
      const bench = await shell.open()
      const some = await sh(bench, 'echo json', { captureBytes: 100 })
      expect(String(some.stdout)).toBe('json\n')
      const much = await sh(bench, 'cat /dev/zero', { captureBytes: 100_000 })
      expect(much.how).toBe('too_much_output')
      await bench.close()
    })

    test('a slow reader slows the program down, and does not count as missing output', async () => {
      const bench = await shell.open()
      const end = await sh(bench, 'echo 1; sleep 1.2', {
        limits: { ...limits, silenceMs: 700 },
        onLine: () => sleep(1000),
      })
      expect(end.how).toBe('exited')
      await bench.close()
    })

    test('a reader that throws ends the step, and its error is thrown', async () => {
      const bench = await shell.open()
      const broken = sh(bench, '(setsid sleep 76) & echo 1; sleep 75', {
        onLine: () => {
          throw new Error('the store is gone')
        },
      })
      await expect(broken).rejects.toThrow('the store is gone')
      expect(sleepers(['75', '76'])).toEqual([])
      await bench.close()
    })

    test('a descriptor that the worker was started with is not passed on', async () => {
      const worker = spawn(process.execPath, [`${import.meta.dirname}/worker-with-pipe.ts`, kind], {
        stdio: ['ignore', 'pipe', 'inherit', ...Array<'ignore'>(37).fill('ignore'), 'pipe'],
      })
      // For example a supervisor's pipe, to which a step could write.
      const [seen] = await once(worker.stdout as Readable, 'data')
      expect(String(seen)).toContain('/dev/null')
      expect(String(seen)).not.toContain('40 socket')
      worker.kill('SIGKILL')
      await once(worker, 'exit')
    })

    test('kill -9 of the worker leaves no process, and the next worker removes its folder', async () => {
      const worker = spawn(process.execPath, [`${import.meta.dirname}/worker-to-kill.ts`, kind], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let text = ''
      worker.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
      await expect.poll(() => text, { timeout: 5000 }).toContain('up')
      await expect.poll(() => sleepers(['4711'])).toHaveLength(1)
      worker.kill('SIGKILL')
      await once(worker, 'exit')
      await expect.poll(() => sleepers(['4711'])).toEqual([])
      // Its work folder stays until the next worker removes it.
      const workDir = /workDir (.+)/.exec(text)?.[1] ?? ''
      const left = () => readdirSync(workDir).filter((name) => name.startsWith('slot-'))
      expect(left()).toHaveLength(1)
      // If another test's worker holds that slot at this moment, the folder is kept.
      const startNext = async () => {
        await (await shellSandbox({ kind, workDir })).close()
        return left()
      }
      await expect.poll(startNext, { timeout: 10_000 }).toEqual([])
      rmSync(workDir, { recursive: true })
    })
  })

/** The processes on the host that sleep for one of these times. */
function sleepers(times: readonly string[]): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      } catch {
        return []
      }
    })
    .filter((args) => args.length === 3 && times.includes(args[1] ?? ''))
    .map((args) => args.join(' '))
}
