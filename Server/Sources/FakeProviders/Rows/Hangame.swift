import GatehouseWire

extension FakeRow {
    static let hangame = partner(.hangame)
}
