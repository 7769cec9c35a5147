/// The numbers of an app.
extension Console {
    static func addOverview(to pages: Pages) {}

    static let overviewTemplates: [Template] = []
}
