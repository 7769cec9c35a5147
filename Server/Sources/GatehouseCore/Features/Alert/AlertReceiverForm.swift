/// An action whose form asks for a receiver of alerts.
protocol AlertReceiverForm: OperatorAction {
    var kind: AlertReceiver.Kind { get set }
    /// Nil for one that stays as it is.
    var address: String? { get set }
    var wish: AlertWish { get set }
    /// Whether there is an address already.
    static var mayKeepAddress: Bool { get }
}
