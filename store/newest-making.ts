/** SQL after an insert into person_makers: of the same two people the newest change is kept. */
export const newestMaking = `on conflict (organization_id, user_id, made_by)
  do update set what = excluded.what, at = greatest(person_makers.at, excluded.at)`
