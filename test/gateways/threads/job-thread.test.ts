import { afterAll, describe, expect, test } from 'vitest'
import { createJobThread } from '../../../gateways/threads/job-thread.ts'

const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', (job) => {
      while (job === 'hang');
      if (job === 'throw') throw new Error('x')
      parentPort.postMessage({ done: job + '!' })
    })
    parentPort.postMessage('ready')
  `)}`,
)

describe('a thread for jobs', () => {
  const thread = createJobThread<string, string>({ script, timeoutMs: 500, heapMb: 64 })
  afterAll(async () => thread.close())

  test('does one job after another, in their order', async () => {
    expect(await Promise.all(['a', 'b', 'c'].map(async (job) => thread.run(job)))).toEqual([
      'a!',
      'b!',
      'c!',
    ])
  })

  test.each(['hang', 'throw'])('a job that makes it %s is lost, and no other', async (fatal) => {
    const done = await Promise.all(['a', fatal, 'b'].map(async (job) => thread.run(job)))
    expect(done).toEqual(['a!', undefined, 'b!'])
  })
})
