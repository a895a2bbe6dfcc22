import { EventEmitter } from 'node:events'
import type { FastifyRequest } from 'fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { receivingPlaces } from '../../../api/finops/uploads/receiving-places.ts'
import { watchPace } from '../../../api/finops/uploads/upload-pace.ts'

describe('the places of uploads', () => {
  test('an organization has two, however long they are silent, and others the rest', async () => {
    const places = receivingPlaces()
    const silent = Promise.withResolvers<string>()
    const held = [places.hold(1, async () => silent.promise), places.hold(1, () => silent.promise)]
    await expect(places.hold(1, async () => 'third')).rejects.toMatchObject({
      code: 'too_many_uploads',
    })
    expect(await places.hold(2, async () => 'other')).toBe('other')
    silent.reject(new Error('cut off'))
    await Promise.allSettled(held)
    expect(await places.hold(1, async () => 'again')).toBe('again')
  })

  test('a process has sixteen', async () => {
    const places = receivingPlaces()
    const silent = Promise.withResolvers<string>()
    const held = Array.from({ length: 16 }, (_, at) => places.hold(at % 8, () => silent.promise))
    const late = places.hold(99, async () => 'late')
    await expect(late).rejects.toMatchObject({ code: 'too_many_uploads' })
    silent.resolve('over')
    await Promise.all(held)
    expect(await places.hold(99, async () => 'late')).toBe('late')
  })
})

describe('the pace of an upload', () => {
  const mebibyte = 1024 ** 2
  const upload = () => {
    const socket = { bytesRead: 1_000, writable: true }
    const server = new EventEmitter()
    const faults: string[] = []
    server.on('clientError', ({ code }: { code: string }) => faults.push(code))
    const raw = { socket, complete: false, destroyed: false, readableFlowing: true }
    const stream = Object.assign(raw, { isPaused: () => !raw.readableFlowing })
    // Of a request, what the watch reads.
    const request = { raw: stream, server: { server } } as unknown as FastifyRequest
    return { socket, raw, faults, pace: watchPace(request) }
  }
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('the source has to arrive within ten seconds', () => {
    const { faults } = upload()
    vi.advanceTimersByTime(9_000)
    expect(faults).toEqual([])
    vi.advanceTimersByTime(2_000)
    expect(faults).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  test('less than 64 KiB/s over a minute ends it, as much goes on', () => {
    const { socket, faults, pace } = upload()
    pace.sourceArrived()
    for (let minute = 0; minute < 5; minute += 1) {
      socket.bytesRead += 4 * mebibyte
      vi.advanceTimersByTime(60_000)
    }
    expect(faults).toEqual([])
    socket.bytesRead += 3 * mebibyte
    vi.advanceTimersByTime(60_000)
    expect(faults).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  test('time in which this side does not read is not the sender’s, and an end stops the watch', () => {
    const { raw, faults, pace } = upload()
    pace.sourceArrived()
    raw.readableFlowing = false
    vi.advanceTimersByTime(600_000)
    expect(faults).toEqual([])
    raw.readableFlowing = true
    pace.stop()
    vi.advanceTimersByTime(600_000)
    expect(faults).toEqual([])
  })
})
