/**
 * The QR code from the API. Copies only the size and the path of the SVG into new elements: inserting
 * markup from a response could inject a script (XSS).
 */
export function QrCode({ svg, label }: { svg: string; label: string }) {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement
  const squares = root.querySelector('path')?.getAttribute('d') ?? ''
  const viewBox = root.getAttribute('viewBox') ?? '0 0 1 1'
  const side = viewBox.split(' ')[2]
  return (
    <svg className="qr-code" viewBox={viewBox} role="img" aria-label={label}>
      <rect width={side} height={side} fill="#fff" />
      <path d={squares} fill="#000" />
    </svg>
  )
}
