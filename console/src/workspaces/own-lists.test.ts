import { expect, test } from 'vitest'
import {
  readLists,
  withFavorite,
  withoutView,
  withRecent,
  withView,
  type OwnLists,
} from './own-lists.ts'

const none: OwnLists = { favorites: [], recents: [], views: [] }

test('what is not a list of this page counts as nothing', () => {
  for (const kept of [null, '', 'x', '7', 'null', '[]', '{"favorites":{},"views":"a"}'])
    expect(readLists(kept), String(kept)).toEqual(none)
  expect(
    readLists(
      JSON.stringify({
        favorites: [3, 3, 'x', -1, 1.5, 9],
        recents: [null, 2],
        views: [
          { name: 'Mine', search: { state: 'failed', sort: 'up', evil: '<script>' } },
          { name: '' },
          7,
        ],
      }),
    ),
  ).toEqual({
    favorites: [3, 9],
    recents: [2],
    views: [{ name: 'Mine', search: { state: 'failed' } }],
  })
})

test('a favorite is there once, and the newest recent one comes first', () => {
  const starred = withFavorite(withFavorite(none, 1, true), 1, true)
  expect(starred.favorites).toEqual([1])
  expect(withFavorite(starred, 1, false).favorites).toEqual([])
  const visited = [1, 2, 1].reduce<OwnLists>(withRecent, none)
  expect(visited.recents).toEqual([1, 2])
  const many = Array.from({ length: 150 }, (_, n) => n + 1)
  expect(many.reduce<OwnLists>(withRecent, none).recents).toHaveLength(20)
  const stars = many.reduce<OwnLists>((lists, id) => withFavorite(lists, id, true), none)
  expect([stars.favorites.length, stars.favorites.at(-1)]).toEqual([100, 150])
})

test('a view of the same name is replaced, and removed by its name', () => {
  const first = withView(none, { name: 'Failed', search: { state: 'failed' } })
  const second = withView(first, { name: 'Failed', search: { state: 'failed', q: 'shop' } })
  expect(second.views).toEqual([{ name: 'Failed', search: { state: 'failed', q: 'shop' } }])
  expect(withoutView(second, 'Failed').views).toEqual([])
})
