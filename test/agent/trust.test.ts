import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentHost, type AgentHost } from '../harness/agents/agent-host.ts'
import { newKey, newOrganization, offered, provenanceOf } from '../harness/agents/signing.ts'

describe('what an agent trusts', () => {
  let host: AgentHost
  beforeEach(async () => {
    host = await agentHost()
  })
  afterEach(async () => {
    expect(host.server.state.faults).toEqual([])
    await host.close()
  })

  const refused = async (more: Parameters<AgentHost['give']>[2], message: RegExp) => {
    const given = host.give('deploy', host.release(`bad ${Math.random()}`, { install: 'true' }), {
      hooks: ['install'],
      ...more,
    })
    expect(await host.resultOf(given)).toMatchObject({
      ok: false,
      refused: true,
      message: expect.stringMatching(message),
    })
    // Nothing was unpacked, nothing was run.
    expect(readdirSync(join(host.dir, 'releases'))).toEqual([])
    expect(host.trace()).toEqual([])
    return given
  }

  test('a release that is not signed by the pinned key is not even fetched', async () => {
    host.start()
    const built = host.release('x', { install: 'true' })
    const thief = newKey()
    const stranger = newOrganization('acme')
    for (const provenance of [
      provenanceOf(built, host.organization, thief),
      provenanceOf(built, stranger, stranger.key),
      null,
      {},
      'x',
    ])
      await refused(
        { artifact: built, provenance },
        /^provenance_refused: the provenance is (?:not signed|no )/,
      )
    expect(host.server.state.ranges).toEqual([])
  })

  test('a service that offers a key of its own makes it no trusted one', async () => {
    const thief = newKey()
    host.server.state.keys.unshift(offered(host.organization, thief, [thief]), {
      ...offered(host.organization, thief),
      keyId: host.organization.key.keyId,
    })
    host.start()
    const built = host.release('x', { install: 'true' })
    await refused(
      { artifact: built, provenance: provenanceOf(built, host.organization, thief) },
      /not signed/,
    )
  })

  test('a release of other bytes: by its provenance, and by what the service sends', async () => {
    host.start()
    const built = host.release('good', { install: 'true' })
    const other = host.release('other', { install: 'true' })
    await refused(
      {
        artifact: built,
        provenance: provenanceOf(other, host.organization, host.organization.key),
      },
      /^provenance_refused: the provenance is of other bytes/,
    )
    // The store gives other bytes than were signed.
    const bytes = readFileSync(built.path)
    bytes[bytes.length - 8] = (bytes[bytes.length - 8] ?? 0) ^ 1
    writeFileSync(`${built.path}.other`, bytes)
    await refused(
      {
        artifact: { ...built, path: `${built.path}.other` },
        provenance: provenanceOf(built, host.organization, host.organization.key),
      },
      /^digest_mismatch/,
    )
    expect(readdirSync(join(host.dir, 'downloads'))).toEqual([])
    // The digest of the archive inside.
    const wrong = { ...built, contentDigest: other.contentDigest }
    await refused(
      {
        artifact: built,
        says: { contentDigest: wrong.contentDigest },
        provenance: provenanceOf(wrong, host.organization, host.organization.key),
      },
      /^digest_mismatch: the archive has another content/,
    )
    await refused(
      {
        artifact: built,
        says: { contentDigest: wrong.contentDigest },
        provenance: provenanceOf(built, host.organization, host.organization.key),
      },
      /^provenance_refused/,
    )
  })

  test('a subject of another organization, though the pinned key signed it', async () => {
    host.start()
    const good = host.release('good', {})
    const given = host.give('verify', good, { hooks: [] })
    await host.resultOf(given)
    const first = host.give('install', good, { hooks: [] })
    expect(await host.resultOf(first)).toMatchObject({ ok: true })
    for (const other of [
      { slug: 'evil', publicId: host.organization.publicId },
      { slug: 'acme', publicId: newOrganization('x').publicId },
    ]) {
      const built = host.release(`of ${other.slug}`, { install: 'true' })
      const bad = host.give('deploy', built, {
        hooks: ['install'],
        provenance: provenanceOf(built, other, host.organization.key),
      })
      expect(await host.resultOf(bad)).toMatchObject({
        ok: false,
        refused: true,
        message: expect.stringContaining('another organization'),
      })
    }
    expect(existsSync(join(host.dir, 'current'))).toBe(false)
  })

  test('a new key counts once the old one has signed it, also after a restart', async () => {
    const agent = host.start()
    const second = newKey()
    const signed = (page: string) => {
      const built = host.release(page, {})
      return {
        artifact: built,
        provenance: provenanceOf(built, host.organization, second),
        hooks: [],
      }
    }
    const before = signed('too early')
    expect(await host.resultOf(host.give('deploy', before.artifact, before))).toMatchObject({
      refused: true,
    })
    host.server.state.keys.unshift(offered(host.organization, second, [host.organization.key]))
    const after = signed('rotated')
    expect(await host.resultOf(host.give('deploy', after.artifact, after))).toMatchObject({
      ok: true,
    })
    await agent.stop()
    // The service has only the new key now: it was learned.
    host.server.state.keys.length = 0
    host.start()
    const later = signed('later')
    expect(await host.resultOf(host.give('deploy', later.artifact, later))).toMatchObject({
      ok: true,
    })
    expect(host.page()).toBe('later')
  })
})
