import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gitHarness, type GitHarness } from '../../harness/git/git-harness.ts'
import { gitlabPeer } from '../../harness/git/gitlab-peer.ts'
import { awaits, isOver, linesOf, runUntil, startRun } from '../../harness/runs.ts'
import type { TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: GitHarness
let source: string
let host: string
beforeAll(async () => {
  harness = await gitHarness(gitlabPeer)
  host = `127.0.0.1:${harness.peer.server.port}`
  source = `git::http://${host}/acme/mods.git//net`
  await harness.peer.createRepository('acme/mods', moduleOf('first'))
}, 120_000)
afterAll(() => harness?.close())

/** A module that reads a file beside it, in the plan and in the apply. */
const moduleOf = (word: string) => ({
  'net/main.tf': `resource "terraform_data" "one" {
  input = file("\${path.module}/word.txt")
  provisioner "local-exec" { command = "sh \${path.module}/run.sh" }
}
output "word" { value = terraform_data.one.output }
`,
  'net/word.txt': word,
  'net/run.sh': `echo applied ${word}\n`,
})
const filesOf = (from: string) => ({
  'main.tf': `module "net" { source = "${from}" }\noutput "word" { value = module.net.word }\n`,
})

/**
 * A connection for the host, without a repository. The token is noted as a secret, also in the form
 * that git sends.
 */
async function connect(owner: TestUser): Promise<{ id: number; token: string }> {
  const token = harness.peer.token('read')
  harness.secrets.note('as git sends it', Buffer.from(`oauth2:${token}`).toString('base64'))
  const made = await owner.post('/api/git/connections', {
    provider: 'gitlab',
    host: harness.peer.server.url,
    token,
  })
  expect(made.statusCode, made.body).toBe(201)
  return { id: made.json().connection.id, token }
}

async function ended(user: TestUser, workspace: TestWorkspace, body = {}) {
  const { id } = await startRun(user, workspace, body)
  const run = await runUntil(user, { workspace, id }, isOver)
  const log = (await linesOf(user, workspace, { id, stage: 'plan' })).join('\n')
  const applied = (await linesOf(user, workspace, { id, stage: 'apply' })).join('\n')
  return { run, log, applied }
}

describe('a workspace with a private module', () => {
  test('plans and applies, and the log names the connection and the commit', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const { id } = await connect(owner)
    // The status of a branch: archived, or without its marker. It does not affect the token.
    await harness.deps.store.platform('git_connections').where({ id }).update({ status: 'error' })
    const workspace = await org.workspace({ by: owner, files: filesOf(source) })
    const { run, log, applied } = await ended(owner, workspace)
    expect(run.state, `${run.endMessage}\n${log}\n${applied}`).toBe('succeeded')
    expect(log).toContain(`Reading ${host}/acme/mods by Git connection ${id}.`)
    expect(log).toMatch(/Module net is at commit [0-9a-f]{40}\./)
    expect(applied).toContain('applied first')
    const { outputs } = (await owner.get(`${workspace.url}/outputs`)).json()
    expect(outputs[0]).toMatchObject({ name: 'word', value: 'first' })
  })

  test('the approved modules are applied, although the branch moved and the connection was deleted', async () => {
    const org = await harness.organization()
    const [author, second] = [await org.user('Owner'), await org.user('Deployer')]
    const { id: connectionId } = await connect(author)
    await harness.peer.createRepository('acme/moves', moduleOf('approved'))
    const from = `git::http://${host}/acme/moves.git//net?ref=main`
    const workspace = await org.workspace({
      by: author,
      criticality: 'production',
      // The workspace's path is a folder of the configuration, which changes the relative path of
      // the modules.
      fields: { path: 'env/live' },
      files: { 'env/live/main.tf': filesOf(from)['main.tf'] },
    })
    const { id } = await startRun(author, workspace)
    const waiting = await runUntil(author, { workspace, id }, awaits)
    expect(waiting.awaitingApproval, waiting.endMessage ?? '').toBe(true)

    await harness.peer.edit('acme/moves', { write: moduleOf('smuggled') })
    expect((await author.delete(`/api/git/connections/${connectionId}`)).statusCode).toBe(200)
    const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
    expect((await second.post(approve, {})).statusCode).toBe(200)
    const run = await runUntil(author, { workspace, id }, isOver)
    const applied = (await linesOf(author, workspace, { id, stage: 'apply' })).join('\n')
    expect(run.state, applied).toBe('succeeded')
    expect(applied).toContain('applied approved')
    expect(applied).not.toContain('smuggled')
  })

  test('the modules are part of the plan digest: other modules change it', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    await connect(owner)
    await harness.peer.createRepository('acme/shifts', moduleOf('same'))
    const from = `git::http://${host}/acme/shifts.git//net`
    const workspace = await org.workspace({
      by: owner,
      files: filesOf(from),
      criticality: 'production',
    })
    const { id } = await startRun(owner, workspace)
    const waiting = await runUntil(owner, { workspace, id }, awaits)
    const db = harness.deps.store.platform
    const modules = db('plan_parts').where({ workspaceRunId: id, part: 'modules' })
    expect((await modules.clone().first('body'))?.body?.length).toBeGreaterThan(100)
    // The attacker can write to the database: they delete the modules and the recorded number of
    // their parts.
    await modules.delete()
    await db('plans')
      .where({ workspaceRunId: id })
      .update({ pieces: db.raw(`pieces - 'modules'`) })
    const second = await org.user('Deployer')
    const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
    await second.post(approve, { planDigest: waiting.planDigest })
    const run = await runUntil(owner, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'failed', reason: 'plan_stale' })
  })

  test('code in a run cannot reach the relay after init, and cannot find the token', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const { token } = await connect(owner)
    const script = [
      'curl -s -o /dev/null -w "relay-%{http_code} " http://127.0.0.1:8202/x || echo relay-closed',
      'env | grep -c GIT_CONFIG || true',
      `cat /proc/*/environ 2>/dev/null | grep -ac insteadOf || true`,
      `grep -rac 'glpat-' /bench 2>/dev/null | grep -v ':0$' | grep -v main.tf: || echo no-token`,
    ].join('; ')
    await harness.peer.createRepository('acme/evil', {
      'main.tf': `resource "terraform_data" "x" {
  provisioner "local-exec" { command = ${JSON.stringify(script.replaceAll('%{', '%%{'))} }
}
output "word" { value = join("", fileset("/proc/self", "environ")) }
`,
    })
    const files = filesOf(`git::http://${host}/acme/evil.git`)
    const workspace = await org.workspace({ by: owner, files })
    const { run, applied } = await ended(owner, workspace)
    expect(run.state, applied).toBe('succeeded')
    expect(applied).toContain('relay-closed')
    expect(applied).toContain('no-token')
    expect(applied).not.toContain(token)
  })
})

describe('the repositories that the relay reads for a run', () => {
  test('it reads modules of modules, which no file of the configuration names', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    await connect(owner)
    await harness.peer.createRepository('acme/leaf', moduleOf('leaf'))
    await harness.peer.createRepository('acme/branch', {
      'main.tf': `module "leaf" { source = "git::http://${host}/acme/leaf.git//net?ref=main" }\noutput "word" { value = module.leaf.word }\n`,
    })
    await harness.peer.createRepository('acme/root', {
      'main.tf': `module "branch" { source = "git::http://${host}/acme/branch.git" }\noutput "word" { value = module.branch.word }\n`,
    })
    const files = filesOf(`git::http://${host}/acme/root.git`)
    const { run, log } = await ended(owner, await org.workspace({ by: owner, files }))
    expect(run.state, `${run.endMessage}\n${log}`).toBe('succeeded')
    for (const name of ['root', 'branch', 'leaf'])
      expect(log).toContain(`Reading ${host}/acme/${name} by`)
  })

  test('it refuses a repository that no module source names, even if the token may read it; the log names it', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    await connect(owner)
    await harness.peer.createRepository('acme/vault', moduleOf('vault'))
    // The name is computed, so a reader of the configuration does not find it.
    const files = {
      'main.tf': `locals { name = "vau" }\nmodule "net" { source = "git::http://${host}/acme/\${local.name}lt.git//net" }\noutput "word" { value = module.net.word }\n`,
    }
    harness.peer.server.calls.length = 0
    const { run, log } = await ended(owner, await org.workspace({ by: owner, files }))
    expect(run, log).toMatchObject({ state: 'failed', reason: 'plan_errored' })
    expect(run.endMessage).toContain(`${host}/acme/vault is named by no module source`)
    expect(log).toContain(`${host}/acme/vault is named by no module source`)
    expect(harness.peer.server.calls.filter((call) => call.includes('vault'))).toEqual([])
    // Once a comment names the repository, the relay reads it.
    files['main.tf'] += `# source = "git::http://${host}/acme/vault.git"\n`
    const named = await ended(owner, await org.workspace({ by: owner, files }))
    expect(named.run.state, `${named.run.endMessage}\n${named.log}`).toBe('succeeded')
  })
})

describe('a private module that cannot be read', () => {
  test('without a connection the message names the place and the remedy', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner, files: filesOf(source) })
    const { run, log } = await ended(owner, workspace)
    expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
    expect(run.endMessage, log).toContain(host)
    expect(run.endMessage).toContain('Git connection')
  })

  test('another organization’s connection is not used', async () => {
    const [a, b] = [await harness.organization(), await harness.organization()]
    const [ownerA, ownerB] = [await a.user('Owner'), await b.user('Owner')]
    const mine = await connect(ownerA)
    await connect(ownerB)
    await harness.peer.createRepository('acme/secret', moduleOf('secret'))
    const tokens = new Set<string | undefined>()
    harness.peer.server.fault = ({ path, token }) => {
      if (!path.includes('/acme/secret.git')) return undefined
      tokens.add(token)
      return token === mine.token ? undefined : { status: 404, text: 'not found' }
    }
    const files = filesOf(`git::http://${host}/acme/secret.git//net`)
    const theirs = await ended(ownerB, await b.workspace({ by: ownerB, files }))
    expect(theirs.run.state).toBe('failed')
    expect(theirs.run.endMessage).toContain(`${host} has no repository acme/secret`)
    expect(tokens.has(mine.token)).toBe(false)
    const own = await ended(ownerA, await a.workspace({ by: ownerA, files }))
    expect(own.run.state, own.log).toBe('succeeded')
    harness.peer.server.fault = () => undefined
  })

  test('a revoked token, a missing repository and a missing ref are told apart', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const { id, token } = await connect(owner)
    const fails = async (from: string) => {
      const workspace = await org.workspace({ by: owner, files: filesOf(from) })
      const { run, log } = await ended(owner, workspace)
      expect(run.state).toBe('failed')
      expect(log).not.toMatch(/127\.0\.0\.1:8202/)
      return run.endMessage
    }
    expect(await fails(`${source}?ref=nosuch`)).toContain('no branch, tag or commit nosuch')
    expect(await fails(`git::http://${host}/acme/gone.git`)).toContain(
      `${host} has no repository acme/gone that the Git connection ${id} may read`,
    )
    harness.peer.revoke(token)
    expect(await fails(source)).toContain(
      `${host} rejects the token of the Git connection ${id}: replace it.`,
    )
    await owner.post(`/api/git/connections/${id}/validate`, {})
    expect(await fails(source)).toContain(`Git connection ${id} is invalid_token`)
  })
})
