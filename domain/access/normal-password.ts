/**
 * One spelling for what looks and is typed alike: some keyboards send `é` as one character, others
 * as two (NIST SP 800-63B 5.1.1.2: NFKC or NFKD, before anything is hashed).
 */
export const normalPassword = (password: string): string => password.normalize('NFKC')
