/// What the whole game feels: launching, maintenance, test devices, kick-out.
extension Console {
    static func addGame(to pages: Pages) {}

    static let gameDeeds: [DeedKind] = []
    static let gameTemplates: [Template] = []
}
