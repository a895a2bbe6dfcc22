/**
 * SQL, a join to `behind` (id): the person in this column of the row, and who configured the identity provider that they
 * had signed in by: any of them may have made the row.
 */
export const everybodyBehind = (row: string, person: string): string =>
  `join lateral (select distinct one.id from unnest(array[${row}.${person}] || ${row}.idp_saved_by) as one (id)
     where one.id is not null) behind on true`
