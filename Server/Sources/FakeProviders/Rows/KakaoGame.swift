import GatehouseWire

extension FakeRow {
    static let kakaoGame = partner(.kakaoGame)
}
