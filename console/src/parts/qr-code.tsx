/**
 * The QR code that the API drew. Only its size and its squares are taken, and drawn anew: markup
 * that comes from elsewhere is never put into the page as it is.
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
