import GatehouseWire

extension ProviderName {
    /// The calls of Kakao Games are for its partners: an operator describes them.
    package static let kakaoGame = ProviderName(.kakaoGame)
}
