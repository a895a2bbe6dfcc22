import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../engines/free-ports.ts'
import { motoBin } from '../../test/harness/clouds/moto.ts'
import { benchConfig } from '../config.ts'

/** An AWS account with `count` resources in one region, served by a process of its own. */
export type BenchCloud = { name: string; account: string; port: number; count: number }

export type BenchClouds = {
  few: BenchCloud
  many: BenchCloud
  moto: BenchCloud
  stop(): Promise<void>
}

const few = 10_000
const many = 100_000 * benchConfig.scale

export async function startClouds(): Promise<BenchClouds> {
  const ports = await freePorts(['few', 'many', 'moto'])
  const clouds = {
    few: { name: 'ready pages', account: '123456789001', port: ports.few, count: few },
    many: { name: 'ready pages', account: '123456789002', port: ports.many, count: many },
    // moto's own account.
    moto: { name: 'moto', account: '123456789012', port: ports.moto, count: many },
  }
  const ready = join(import.meta.dirname, 'ready-cloud.ts')
  const seeded = join(import.meta.dirname, 'seeded-moto.py')
  const stops = [
    ...[clouds.few, clouds.many].map((cloud) =>
      start(process.execPath, [ready, ...argumentsOf(cloud), cloud.account]),
    ),
    start(join(await motoBin(), 'python'), [seeded, ...argumentsOf(clouds.moto)]),
  ]
  const stop = async () => {
    for (const one of stops) await one()
  }
  try {
    for (const { port } of Object.values(clouds)) await untilAnswers(port)
    return { ...clouds, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const argumentsOf = ({ port, count }: BenchCloud): string[] => [String(port), String(count)]

function start(program: string, parameters: string[]): () => Promise<void> {
  const child = spawn(program, parameters, {
    env: { PATH: benchConfig.path },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

async function untilAnswers(port: number): Promise<void> {
  const endsAt = Date.now() + 60_000
  while (Date.now() < endsAt) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (answer) return
    await sleep(200)
  }
  throw new Error(`no cloud answers on port ${port}`)
}
