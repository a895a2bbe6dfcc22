import { letter, type Letter } from '../letter.ts'

type About = {
  baseUrl: string
  organizationName: string
  accountName: string
  /** `AWS 123456789012`. */
  account: string
}

export const cloudAccountUnwellLetter = (about: About & { reason: string | null }): Letter =>
  letter(`The cloud account ${about.accountName} of ${about.organizationName} needs attention`, [
    `${about.organizationName} has a problem with the cloud account ${about.accountName} (${about.account}).`,
    ...(about.reason === null ? [] : [about.reason]),
    'What was found before stays as it was last seen. You get one more mail when the account is well again.',
    { link: `${about.baseUrl}/organization`, label: 'Open the organization' },
  ])

export const cloudAccountWellLetter = (about: About): Letter =>
  letter(`The cloud account ${about.accountName} of ${about.organizationName} is well again`, [
    `The cloud account ${about.accountName} (${about.account}) of ${about.organizationName} is healthy again. There is nothing to do.`,
  ])
