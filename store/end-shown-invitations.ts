/**
 * SQL: ends the open invitations of these people whose links an inviter was shown. Who took the link while it was one of
 * a lower role must not come in with the higher one.
 */
export const endShownInvitations = (organizationId: string, people: string): string => `
  update user_tokens t set used_at = now() from ${people} p
  where t.organization_id = ${organizationId} and t.user_id = p.user_id and t.purpose = 'invitation'
    and t.shown and t.used_at is null`

/**
 * SQL: ends the open invitations of whom these people made and whose links an inviter was shown: a person who loses a
 * role may hold them, and could come in again by one. Any making counts: a later one replaces the mark that the person
 * was invited. Mailed ones stay: they are in mailboxes of others.
 */
export const endInvitationsBy = (organizationId: string, inviters: string): string => `
  update user_tokens t set used_at = now() from ${inviters} p
    join person_makers m on m.organization_id = ${organizationId} and m.made_by = p.user_id
  where t.organization_id = ${organizationId} and t.user_id = m.user_id and t.purpose = 'invitation'
    and t.shown and t.used_at is null`
