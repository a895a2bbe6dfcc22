import { expect, test } from 'vitest'
import { isSetting } from './is-setting.ts'

test.each([
  'aws_secretsmanager_secret_version',
  'aws_secretsmanager_secret_policy',
  'aws_secretsmanager_secret_rotation',
  'aws_sns_topic_policy',
  'aws_cloudwatch_event_target',
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
  'google_compute_resource_policy',
  'google_org_policy_policy',
  'google_service_account',
  'google_iam_deny_policy',
  'google_secret_manager_secret_version',
  'terraform_data',
])('%s is a resource of its own', (type) => {
  expect(isSetting(type)).toBe(false)
})
