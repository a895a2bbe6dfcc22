/** What the workspace demo-shop has. */
export const shopNames = {
  web: 'shop-web',
  worker: 'shop-worker',
  database: 'demo-shop',
  cache: 'demo-shop-cache',
  bucket: 'demo-shop-images',
  /** Of Cloud Storage. */
  exports: 'demo-shop-exports',
} as const
