import { checkPassword } from '../../domain/access/password-rules.ts'
import { isCommonPassword } from '../../gateways/passwords/common-passwords.ts'

export type PasswordOwner = {
  email: string | null
  name: string
  organizationName: string
  organizationSlug: string
}

/** Refuses what an attacker who knows person and organization would try first (NIST SP 800-63B 5.1.1.2). */
export function assertNewPassword(password: string, owner: PasswordOwner): void {
  const { email, name, organizationName, organizationSlug } = owner
  checkPassword(password, {
    isCommon: isCommonPassword,
    words: [email ?? '', name, organizationName, organizationSlug, 'cloud-control'],
  })
}
