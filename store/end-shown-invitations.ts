/**
 * SQL: ends the open invitations of these people whose links an inviter was shown. Who took the link while it was one of
 * a lower role must not come in with the higher one.
 */
export const endShownInvitations = (organizationId: string, people: string): string => `
  update user_tokens t set used_at = now() from ${people} p
  where t.organization_id = ${organizationId} and t.user_id = p.user_id and t.purpose = 'invitation'
    and t.shown and t.used_at is null`
