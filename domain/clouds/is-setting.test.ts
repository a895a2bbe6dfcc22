import { expect, test } from 'vitest'
import { hasIdOfParent, isSetting } from './is-setting.ts'

test.each([
  'aws_secretsmanager_secret_version',
  'aws_secretsmanager_secret_policy',
  'aws_secretsmanager_secret_rotation',
  'aws_sns_topic_policy',
  'aws_cloudwatch_event_target',
  'aws_oam_sink_policy',
  'aws_codeartifact_repository_permissions_policy',
  'aws_codeartifact_domain_permissions_policy',
  'aws_redshift_resource_policy',
  'aws_redshiftserverless_resource_policy',
  'azurerm_subnet_network_security_group_association',
  'azurerm_subnet_route_table_association',
  'azurerm_subnet_nat_gateway_association',
  'azurerm_storage_account_network_rules',
  'azurerm_storage_account_customer_managed_key',
  'azurerm_api_management_policy',
  'azurerm_api_management_api_operation_policy',
  'azapi_update_resource',
  'google_pubsub_topic_iam_policy',
  'google_compute_instance_iam_policy',
  'google_bigquery_dataset_access',
  'google_compute_backend_bucket_signed_url_key',
  'google_compute_backend_service_signed_url_key',
])('%s has the id of what it belongs to', (type) => {
  expect(isSetting(type)).toBe(true)
})

test.each([
  'aws_secretsmanager_secret',
  'aws_sns_topic',
  'aws_sns_topic_subscription',
  'aws_iam_policy',
  'aws_organizations_policy',
  'aws_fms_policy',
  'aws_autoscaling_policy',
  'aws_lambda_layer_version',
  'aws_launch_template',
  'aws_ssm_association',
  'aws_vpclattice_service_network_vpc_association',
  'aws_cloudwatch_event_rule',
  'aws_oam_sink',
  'aws_codeartifact_repository',
  'azurerm_subnet',
  'azurerm_subnet_service_endpoint_storage_policy',
  'azurerm_storage_account',
  'azurerm_firewall_policy',
  'azurerm_web_application_firewall_policy',
  'azurerm_application_load_balancer_subnet_association',
  'azurerm_api_management',
  'azurerm_api_management_policy_fragment',
  'azapi_resource',
  'google_bigquery_dataset',
  'google_compute_security_policy',
  'google_compute_backend_bucket',
  'google_compute_resource_policy',
  'google_org_policy_policy',
  'google_service_account',
  'google_iam_deny_policy',
  'google_secret_manager_secret_version',
  'terraform_data',
])('%s is a resource of its own', (type) => {
  expect(isSetting(type)).toBe(false)
})

const sink = 'arn:aws:oam:eu-west-1:123456789012:sink/s'

test.each([
  ['aws_new_resource_policy', { id: sink, resource_arn: sink }, true],
  ['aws_new_sink_policy', { id: sink, sink_identifier: sink }, true],
  ['aws_shield_protection', { id: 'a-b', resource_arn: sink }, false],
  ['aws_oam_sink', { id: sink, arn: sink }, false],
  ['azurerm_thing', { id: sink, resource_arn: sink }, false],
  ['aws_thing', {}, false],
  ['aws_thing', null, false],
])('%s with %j: has the id of what it is set for: %s', (type, attributes, expected) => {
  expect(hasIdOfParent(type, attributes)).toBe(expected)
})
