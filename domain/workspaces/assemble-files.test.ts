import { expect, test } from 'vitest'
import { blobId } from '../git/blob-id.ts'
import { assembleFiles, changeFiles } from './assemble-files.ts'

const commit = 'a'.repeat(40)
const main = 'resource "terraform_data" "a" {}\n'
const earlier = { 'main.tf': main, 'a/b.tf': '# é\n' }
const listedOf = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, blobId(text)]))
const textOf = ({ text }: { text: string | Buffer }) => JSON.parse(text.toString())

test('the same list is the earlier version, in any order', () => {
  const listed = new Map([...listedOf(earlier)].toReversed())
  const files = assembleFiles(earlier, { listed, contents: new Map() }, commit)
  expect([files.unchanged, textOf(files)]).toEqual([true, earlier])
  expect(files.names).toEqual(['a/b.tf', 'main.tf'])
  expect(files.blobs).toEqual([blobId('# é\n'), blobId(main)])
})

test('fetched contents stand beside those of the earlier version, also under another path', () => {
  const now = { 'moved.tf': main, 'new.tf': '# new\n' }
  const contents = new Map([[blobId('# new\n'), Buffer.from('# new\n')]])
  const files = assembleFiles(earlier, { listed: listedOf(now), contents }, commit)
  expect([files.unchanged, textOf(files)]).toEqual([false, now])
})

test('a content that nobody has is a fault of ours', () => {
  const source = { listed: listedOf({ 'x.tf': 'x' }), contents: new Map() }
  expect(() => assembleFiles(earlier, source, commit)).toThrow(/has no content of/)
})

test('more than 10 MiB are refused, though each file is known', () => {
  const large = { 'a.tf': '#'.repeat(6 * 1_048_576) }
  const listed = new Map(
    ['a.tf', 'b.tf'].map((path) => [path, blobId(large['a.tf'])] as [string, string]),
  )
  expect(() => assembleFiles(large, { listed, contents: new Map() }, commit)).toThrow(
    expect.objectContaining({ code: 'git_source_too_large' }),
  )
})

test('changes set and remove files of the earlier version', () => {
  const files = changeFiles(earlier, [
    ['a/b.tf', null],
    ['gone.tf', null],
    ['new.tf', '# new\n'],
  ])
  expect(textOf(files)).toEqual({ 'main.tf': main, 'new.tf': '# new\n' })
})
