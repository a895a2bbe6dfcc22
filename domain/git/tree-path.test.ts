import { expect, test } from 'vitest'
import { checkTreePath } from './tree-path.ts'

test('a path that a checkout could write outside of its folder or into .git is named', () => {
  for (const path of ['../a.tf', 'a/../b.tf', 'a/./b.tf', 'a//b.tf', '/a.tf', '', 'a\\b.tf'])
    expect(() => checkTreePath(path), path).toThrow(JSON.stringify(path))
  for (const path of ['.git/config', 'a/.GIT/hooks/x', 'git~1/x', 'a/.git. /x', '.g\u200cit/x'])
    expect(() => checkTreePath(path), path).toThrow('which no checkout may write')
  for (const path of ['main.tf', '.github/x.yml', 'a/.gitignore', 'a/..b/c.tf', '.gitmodules'])
    expect(() => checkTreePath(path), path).not.toThrow()
})
