/** Why a person may not approve a run (store/approval-rule.ts). */
export type ApproverFault =
  | 'inactive'
  | 'capability'
  | 'author'
  | 'made_by_author'
  | 'signed_in_by_author'

/** For each fault the code of the refusal, and its text. */
export const approverRefusals: Record<ApproverFault, { code: string; because: string }> = {
  inactive: { code: 'forbidden', because: 'You are no active member here.' },
  capability: {
    code: 'forbidden',
    because:
      'Part of this plan is by an unknown author, so approving it needs the role SRE · Cloud Admin or higher.',
  },
  author: {
    code: 'approver_is_author',
    because: 'You are among the authors of this plan: a second operator must approve it.',
  },
  made_by_author: {
    code: 'approver_made_by_author',
    because:
      'Since the last approved apply, an author of this plan invited you, changed your address, reactivated you or raised your role, or did so to the person who did. Somebody else must approve it.',
  },
  signed_in_by_author: {
    code: 'approver_made_by_author',
    because:
      'You signed in by an identity provider that an author of this plan configured. Somebody else must approve it, or you after signing in with a password.',
  },
}
