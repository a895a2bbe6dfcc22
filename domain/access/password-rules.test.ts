import { describe, expect, test } from 'vitest'
import { checkPassword } from './password-rules.ts'

const words = ['Acme Corporation', 'acme', 'anna.berg@acme.example', 'Anna Berg', 'cloud-control']
const check = (password: string) =>
  checkPassword(password, { isCommon: (text) => text === 'letmeinletmein!!', words })

describe('a new password', () => {
  test.each([
    'correct horse battery staple',
    'anna likes tall trees',
    'acme sells anvils to coyotes',
    '🐎🔋📎✅ and a few words',
    'zq8 vmw 3ph t1k',
    'aaaaaaaaaaaa mountain bridge',
  ])('is taken: %s', (password) => expect(() => check(password)).not.toThrow())

  test.each([
    ['elevenchars', 'password_too_short'],
    ['🐎🔋📎✅🐎🔋📎✅🐎🔋📎', 'password_too_short'],
    ['LetMeInLetMeIn!!', 'password_too_common'],
    ['aaaaaaaaaaaa', 'password_too_common'],
    ['PasswordPassword', 'password_too_common'],
    ['abcdefghijkl', 'password_too_common'],
    ['qwertyuiop12', 'password_too_common'],
    ['987654321098', 'password_too_common'],
    ['acmecorporation1', 'password_too_common'],
    ['Anna.Berg@acme.example', 'password_too_common'],
    ['AnnaBerg2026!', 'password_too_common'],
    ['cloud-control-1', 'password_too_common'],
    // Eleven letters, of which one is written as two characters.
    ['e\u0301levenchars', 'password_too_short'],
    ['ｌｅｔｍｅｉｎｌｅｔｍｅｉｎ！！', 'password_too_common'],
  ])('is refused: %s', (password, code) => {
    expect(() => check(password)).toThrow(expect.objectContaining({ code, fault: 'invalid' }))
  })
})
