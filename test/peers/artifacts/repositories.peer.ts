import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engineCacheDir } from '../../../engines/resolve-binary.ts'
import { findGo } from '../../../engines/find-go.ts'
import { artifactFolder } from '../../../gateways/artifacts/folder.ts'
import { packArtifact, type PackedArtifact } from '../../../gateways/artifacts/pack-artifact.ts'
import { fetchCommit, type FetchedCommit } from '../../../gateways/git/fetch-commit.ts'
import { relayBench, type RelayBench } from '../../gateways/git/relay-bench.ts'
import { hasBwrap } from '../../gateways/sandbox/shell-sandbox.ts'
import { installedPeer } from '../installed-peer.ts'
import { hasPython } from '../python-tools.ts'

const run = promisify(execFile)
const untar = (archive: string, to: string) => ({
  program: 'tar',
  args: ['--extract', '--gzip', '--no-same-owner', `--file=${archive}`, `--directory=${to}`],
})

/** The folder with the source of each project, from the archive that its own registry has. */
const projects: Record<string, () => Promise<string>> = {
  async express() {
    const name = 'express@5.1.0'
    const folder = await installedPeer('source-express', [name], (made) => [
      { program: 'npm', args: ['pack', name, `--pack-destination=${made}`, '--loglevel=error'] },
      untar(join(made, 'express-5.1.0.tgz'), made),
    ])
    return join(folder, 'package')
  },
  async flask() {
    const name = 'flask==3.1.2'
    const folder = await installedPeer('source-flask', [name], (made) => [
      { program: 'python3', args: ['-m', 'venv', join(made, 'venv')] },
      {
        program: join(made, 'venv/bin/pip'),
        args: [...'download --quiet --no-deps --no-binary=:all: --dest'.split(' '), made, name],
      },
      untar(join(made, 'flask-3.1.2.tar.gz'), made),
    ])
    return join(folder, 'flask-3.1.2')
  },
  async cobra() {
    const name = 'github.com/spf13/cobra@v1.10.2'
    const cacheDir = engineCacheDir(process.env['CC_CACHE_DIR'])
    const go = await findGo({ cacheDir, say: (line) => console.log(line) })
    const folder = await installedPeer('source-cobra', [name], (made) => [
      {
        program: go,
        args: ['mod', 'download', '-modcacherw', name],
        env: {
          GOMODCACHE: join(made, 'mod'),
          GOTOOLCHAIN: 'local',
          GOWORK: 'off',
          GO111MODULE: 'on',
        },
      },
    ])
    return join(folder, 'mod', name)
  },
}

// Trees that nobody here wrote, served by git's own http-backend, and judged by git on both sides.
describe.skipIf(!hasBwrap || !hasPython())('the source of projects of others', () => {
  let setup: RelayBench
  const folder = mkdtempSync(join(tmpdir(), 'cc-repositories-'))
  const store = artifactFolder(join(folder, 'store'))
  beforeAll(async () => {
    setup = await relayBench('bubblewrap')
  })
  afterAll(async () => {
    await setup?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The id of the tree that these files are, by an index of their own. */
  const treeOf = async (name: string, files: string): Promise<string> => {
    const env = { ...process.env, GIT_INDEX_FILE: join(folder, `${name}.index`) }
    const git = [`--git-dir=${setup.peer.path?.(`acme/${name}`)}`, `--work-tree=${files}`]
    rmSync(env.GIT_INDEX_FILE, { force: true })
    await run('git', [...git, 'add', '--all', '--force'], { cwd: files, env })
    return (await run('git', [...git, 'write-tree'], { env })).stdout.trim()
  }
  const built = async (
    name: string,
    at: number,
  ): Promise<{ commit: FetchedCommit; packed: PackedArtifact; tree: string }> => {
    const repository = `acme/${name}`
    const opened = await setup.open({ named: [`${repository}?ref=main`] })
    const { bench, env, relay } = opened
    try {
      const commit = await fetchCommit(
        bench,
        {
          repository,
          url: `http://${setup.host}/${repository}.git`,
          folder: 'source',
          branch: 'main',
          tag: null,
          commit: null,
        },
        { env, refusal: () => relay.refusal() },
      )
      const { text: tree } = await setup.inside(
        opened,
        'cd source; git add --all --force; git write-tree',
      )
      const packed = await packArtifact(
        bench,
        {
          folder: 'source',
          committedAt: commit.committedAt,
          hostPath: join(folder, `${name}-${at}`),
        },
        { store, organizationId: 1 },
      )
      return { commit, packed, tree: tree.trim() }
    } finally {
      relay.close()
      await bench.close()
    }
  }

  test.each(Object.entries(projects))(
    '%s is fetched and packed byte for byte, twice the same',
    async (name, source) => {
      const files = await source()
      await setup.peer.createRepository(`acme/${name}`)
      const gitDir = `--git-dir=${setup.peer.path?.(`acme/${name}`)}`
      const tree = await treeOf(name, files)
      const author = ['-c', 'user.name=Ann', '-c', 'user.email=ann@x.example']
      const made = await run('git', [...author, gitDir, 'commit-tree', tree, '-m', name])
      await run('git', [gitDir, 'update-ref', 'refs/heads/main', made.stdout.trim()])

      const one = await built(name, 1)
      const other = await built(name, 2)
      expect([one.tree, other.tree]).toEqual([tree, tree])
      expect(other.packed).toEqual(one.packed)
      const { stdout: list } = await run('git', [gitDir, 'ls-tree', '-r', '-l', 'main'], {
        maxBuffer: 16 * 1024 ** 2,
      })
      const sizes = list
        .trim()
        .split('\n')
        .map((line) => Number(/ (\d+)\t/.exec(line)?.[1] ?? 0))
      expect(one.commit).toMatchObject({
        sha: made.stdout.trim(),
        entries: sizes.length,
        bytes: sizes.reduce((sum, size) => sum + size, 0),
        submodules: [],
        pointers: [],
      })
      const unpacked = join(folder, `${name}-unpacked`)
      mkdirSync(unpacked)
      const kept = join(
        folder,
        'store/1/sha256',
        one.packed.digest.slice(7, 9),
        one.packed.digest.slice(7),
      )
      await run('sh', ['-ec', 'zstd -q -d -c "$0" | tar -x -C "$1"', kept, unpacked])
      expect(await treeOf(name, unpacked)).toBe(tree)
    },
  )
})
