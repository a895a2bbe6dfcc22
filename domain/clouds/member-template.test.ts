import { expect, test } from 'vitest'
import { memberTemplate } from './member-template.ts'

const facts = {
  issuer: 'https://id.example.com/oidc/1',
  slug: 'acme',
  externalId: 'cc-1',
  use: 'federation' as const,
}
const statementOf = (text: string) =>
  JSON.parse(text).Resources.Role.Properties.AssumeRolePolicyDocument.Statement[0]

test('a role trusts the token of its own account, from the provider that is made beside it', () => {
  const { Resources } = JSON.parse(memberTemplate(facts))
  expect(Resources.Issuer.Properties).toEqual({
    Url: facts.issuer,
    ClientIdList: ['sts.amazonaws.com'],
  })
  expect(statementOf(memberTemplate(facts))).toMatchObject({
    Principal: {
      Federated: {
        'Fn::Sub':
          'arn:${AWS::Partition}:iam::${AWS::AccountId}:oidc-provider/id.example.com/oidc/1',
      },
    },
    Condition: {
      StringEquals: {
        'id.example.com/oidc/1:aud': 'sts.amazonaws.com',
        'id.example.com/oidc/1:sub': { 'Fn::Sub': 'organization:acme:account:${AWS::AccountId}' },
      },
    },
  })
})

test('with an AWS identity of the service, a role trusts that with the external id, and no issuer', () => {
  const text = memberTemplate({ ...facts, use: 'role' })
  expect(Object.keys(JSON.parse(text).Resources)).toEqual(['Role'])
  expect(statementOf(text).Condition).toEqual({ StringEquals: { 'sts:ExternalId': 'cc-1' } })
})

test('a role may list its own account, and neither members nor bills', () => {
  const [policy] = JSON.parse(memberTemplate(facts)).Resources.Role.Properties.Policies
  const [{ Action }] = policy.PolicyDocument.Statement
  expect(Action).toContain('tag:GetResources')
  expect(Action.filter((right: string) => /^(organizations|s3):/.test(right))).toEqual([])
})
