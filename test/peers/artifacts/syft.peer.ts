import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeArtifact, type SbomFormat } from '../../../gateways/artifacts/describe-artifact.ts'
import { artifactFolder } from '../../../gateways/artifacts/folder.ts'
import { packArtifact } from '../../../gateways/artifacts/pack-artifact.ts'
import {
  hasBwrap,
  sh,
  shellSandbox,
  type ShellSandbox,
} from '../../gateways/sandbox/shell-sandbox.ts'
import { goTools } from '../go-tools.ts'
import { npmTools } from '../npm-tools.ts'
import { hasPython, pythonTools } from '../python-tools.ts'
import { runPeer } from '../run-peer.ts'

const goPackage = 'github.com/anchore/syft/cmd/syft@v1.57.0'
const cyclonedxNpm = '@cyclonedx/cyclonedx-npm@6.0.1'
const given = process.env['CC_SYFT_BIN']
const isAsked = given !== undefined || process.env['PEER_SYFT'] !== undefined
const versions = ['spdx-tools==0.8.5', 'cyclonedx-python-lib[json-validation]==11.12.0']

/** Exits with 1 and the faults for a document that is none of its kind. */
const judge = `
import sys
kind, path = sys.argv[1:]
if kind == 'spdx':
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    faults = validate_full_spdx_document(parse_file(path))
else:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(path).read())
    faults = [fault] if fault else []
for fault in faults[:20]: print(fault)
sys.exit(1 if faults else 0)
`

/** A project with 1,000 dependencies, as npm writes it down. */
const numbers = Array.from({ length: 1_000 }, (_, n) => n)
const root = {
  name: 'shop',
  version: '1.0.0',
  dependencies: Object.fromEntries(numbers.map((n) => [`p${n}`, `1.0.${n}`])),
}
const packages = {
  '': root,
  ...Object.fromEntries(
    numbers.map((n) => [
      `node_modules/p${n}`,
      { version: `1.0.${n}`, resolved: `https://packages.example/p${n}.tgz`, license: 'MIT' },
    ]),
  ),
}
const tree = {
  'package.json': JSON.stringify(root),
  'package-lock.json': JSON.stringify({
    name: root.name,
    version: root.version,
    lockfileVersion: 3,
    packages,
  }),
}

type Components = { components: Array<{ name: string; version?: string; purl?: string }> }
/** Names and versions of the packages of npm that a CycloneDX document lists. */
const packagesOf = (text: string): Set<string> =>
  new Set(
    (JSON.parse(text) as Components).components
      .filter(({ purl = '', name }) => purl.startsWith('pkg:npm/') && name !== root.name)
      .map(({ name, version }) => `${name}@${version}`),
  )

// Building Syft takes minutes, so only where somebody asks for it.
describe.skipIf(!isAsked || !hasBwrap || !hasPython())(
  `the bill of materials by Syft (skipped: CC_SYFT_BIN, or PEER_SYFT=1 installs ${goPackage})`,
  { timeout: 600_000 },
  () => {
    let shell: ShellSandbox
    let python: string
    const folder = mkdtempSync(join(tmpdir(), 'syft-'))
    beforeAll(async () => {
      const syft = given ?? join(await goTools('syft', goPackage), 'syft')
      python = join(await pythonTools('sbom', versions), 'python3')
      shell = await shellSandbox({
        onDisk: true,
        programs: { tofu: '/bin/bash', sh: '/bin/sh', syft },
      })
    }, 3_600_000)
    afterAll(async () => {
      await shell?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    test('both documents are valid to tools of others, and list what cyclonedx-npm lists of the same tree', async () => {
      const store = artifactFolder(join(folder, 'store'))
      const sizeBytes = 512 * 1024 ** 2
      const made = await shell.open({ sizeBytes })
      await made.makeFolder('dist')
      for (const [name, text] of Object.entries(tree)) await made.write(`dist/${name}`, text)
      expect((await sh(made, 'true')).exitCode).toBe(0)
      const packed = await packArtifact(
        made,
        { folder: 'dist', committedAt: new Date(), hostPath: join(folder, 'out') },
        { store, organizationId: 7 },
      )
      await made.close()
      const place = join(
        folder,
        'store/7/sha256',
        packed.digest.slice(7, 9),
        packed.digest.slice(7),
      )
      const bench = await shell.open({ sizeBytes })
      const documents = new Map<SbomFormat, string>()
      await describeArtifact(
        bench,
        {
          archive: place,
          described: { name: 'acme/shop', version: packed.digest },
          hostPath: join(folder, 'document'),
        },
        async (format, bytes) => {
          const chunks: Buffer[] = []
          for await (const chunk of bytes) chunks.push(chunk)
          documents.set(format, Buffer.concat(chunks).toString())
        },
      )
      await bench.close()
      writeFileSync(join(folder, 'judge.py'), judge)
      for (const [format, text] of documents) {
        const path = join(folder, format === 'spdx' ? 'a.spdx.json' : 'a.cdx.json')
        writeFileSync(path, text)
        const { code, output } = await runPeer(python, [join(folder, 'judge.py'), format, path])
        expect(code, output).toBe(0)
        expect(text).toContain('p999')
        writeFileSync(path, text.replace('"p999"', '17'))
        expect((await runPeer(python, [join(folder, 'judge.py'), format, path])).code).not.toBe(0)
      }
      expect([...documents.keys()]).toEqual(['spdx', 'cyclonedx'])

      const theirs = join(folder, 'project')
      mkdirSync(theirs)
      for (const [name, text] of Object.entries(tree)) writeFileSync(join(theirs, name), text)
      const { code, output } = await runPeer(
        join(await npmTools('cyclonedx-npm', [cyclonedxNpm]), '.bin/cyclonedx-npm'),
        '--package-lock-only --output-format JSON --output-file listed.json'.split(' '),
        { cwd: theirs },
      )
      expect(code, output).toBe(0)
      const listed = packagesOf(readFileSync(join(theirs, 'listed.json'), 'utf8'))
      expect(listed.size).toBe(numbers.length)
      expect(packagesOf(documents.get('cyclonedx') ?? '')).toEqual(listed)
    })
  },
)
