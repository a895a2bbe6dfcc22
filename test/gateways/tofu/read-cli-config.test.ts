import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCliConfig } from '../../../gateways/tofu/read-cli-config.ts'

function read(text: string) {
  const file = join(mkdtempSync(join(tmpdir(), 'cc-cli-')), 'tofu.rc')
  writeFileSync(file, text)
  return readCliConfig(file)
}

describe('an operator’s CLI configuration', () => {
  test('names the folders that runs may read', () => {
    const { mirrors, notes } = read(`provider_installation {
  filesystem_mirror {
    path    = "/srv/providers"
    include = ["registry.opentofu.org/*/*"]
  }
  # filesystem_mirror { path = "/not/this" }
  filesystem_mirror { path = "/srv/more" }
  network_mirror { url = "https://mirror.example/" }
  direct {}
}
`)
    expect(mirrors).toEqual(['/srv/providers', '/srv/more'])
    expect(notes).toEqual([])
  })

  test('a cache that runs can write is refused, because one run could poison another’s providers', () => {
    expect(() => read('plugin_cache_dir = "/srv/cache"\n')).toThrow(/filesystem_mirror/)
    expect(read('# plugin_cache_dir = "/srv/cache"\n').mirrors).toEqual([])
  })

  test('credentials in it cause a warning, because every plan can read them', () => {
    expect(read('credentials "app.example" {\n  token = "x"\n}\n').notes).toHaveLength(1)
  })

  test('the error names a relative folder and a missing file', () => {
    const relative = 'provider_installation {\n  filesystem_mirror {\n    path = "mirror"\n  }\n}\n'
    expect(() => read(relative)).toThrow(/mirror is not absolute/)
    expect(() => readCliConfig('/nowhere/tofu.rc')).toThrow(/\/nowhere\/tofu\.rc/)
  })
})
