/**
 * What decides the price of a type beside its region, by attribute path: of those that are kept of a
 * state (domain/clouds/size-attributes.ts), the ones that an author writes. What the provider fills in
 * is not known in a plan, and would leave each new resource without a price.
 */
export const decisiveAttributes: Readonly<Record<string, readonly string[]>> = {
  aws_instance: ['instance_type'],
  aws_spot_instance_request: ['instance_type'],
  aws_ebs_volume: ['size', 'type'],
  aws_db_instance: ['allocated_storage', 'engine', 'instance_class'],
  aws_rds_cluster_instance: ['engine', 'instance_class'],
  aws_docdb_cluster_instance: ['instance_class'],
  aws_neptune_cluster_instance: ['instance_class'],
  aws_elasticache_cluster: ['node_type', 'num_cache_nodes'],
  aws_elasticache_replication_group: ['node_type'],
  aws_redshift_cluster: ['node_type', 'number_of_nodes'],
  aws_lb: ['load_balancer_type'],
  aws_alb: ['load_balancer_type'],
  aws_nat_gateway: [],
  aws_eip: [],
  aws_eks_cluster: [],
  aws_vpc_endpoint: [],
  aws_kms_key: [],
  aws_secretsmanager_secret: [],
  aws_transfer_server: [],
  aws_ec2_transit_gateway_vpc_attachment: [],
  aws_vpn_connection: [],
  aws_cloudwatch_metric_alarm: [],
  aws_cloudwatch_dashboard: [],

  azurerm_linux_virtual_machine: ['size'],
  azurerm_windows_virtual_machine: ['size'],
  azurerm_virtual_machine: ['vm_size'],
  azurerm_managed_disk: ['disk_size_gb', 'storage_account_type'],
  azurerm_service_plan: ['os_type', 'sku_name'],
  azurerm_kubernetes_cluster: ['sku_tier'],
  azurerm_kubernetes_cluster_node_pool: ['node_count', 'vm_size'],
  azurerm_postgresql_flexible_server: ['sku_name', 'storage_mb'],
  azurerm_mysql_flexible_server: ['sku_name'],
  azurerm_mssql_database: ['sku_name'],
  azurerm_mssql_elasticpool: ['sku[0].capacity', 'sku[0].name', 'sku[0].tier'],
  azurerm_redis_cache: ['capacity', 'sku_name'],
  azurerm_public_ip: ['sku'],
  azurerm_lb: ['sku'],
  azurerm_application_gateway: ['sku[0].capacity', 'sku[0].name', 'sku[0].tier'],
  azurerm_nat_gateway: ['sku_name'],
  azurerm_container_registry: ['sku'],
  azurerm_bastion_host: ['sku'],
  azurerm_virtual_network_gateway: ['sku'],
  azurerm_firewall: ['sku_tier'],

  google_compute_instance: ['machine_type'],
  google_compute_disk: ['size', 'type'],
  google_sql_database_instance: ['settings[0].availability_type', 'settings[0].tier'],
  google_redis_instance: ['memory_size_gb', 'tier'],
  google_container_cluster: [],
  google_container_node_pool: ['node_config[0].machine_type', 'node_count'],
  google_compute_address: [],
  google_compute_forwarding_rule: [],
  google_filestore_instance: ['tier'],
}

/** Say where a resource is. The region of a price is that of the bill. */
export const placeAttributes: readonly string[] = [
  'availability_zone',
  'location',
  'region',
  'zone',
]
