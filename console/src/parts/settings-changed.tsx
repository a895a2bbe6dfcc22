/** Above a form in which a person types while another person changes what is stored. */
export const SettingsChanged = ({ onShow }: { onShow: () => void }) => (
  <div className="note warn" role="status">
    <p>
      Somebody changed these settings meanwhile. Saving keeps their values in the fields that you
      did not change.{' '}
      <button type="button" className="link" onClick={onShow}>
        Show theirs
      </button>
    </p>
  </div>
)
