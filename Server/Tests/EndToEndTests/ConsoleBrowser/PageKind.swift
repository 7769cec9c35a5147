/// The kinds of the console's pages, for what follows their links.
enum PageKind {
    /// The address without its query and without ids.
    static func of(_ path: String) -> String {
        String(path.prefix { $0 != "?" })
            .replacing(/(members|numbers|refusals|devices|imports|help)\/[^\/]+/) { "\($0.1)/ONE" }
    }

    /// How many pages of a kind are looked at. Of most one is enough, because they differ in ids and filters only.
    static func limit(of kind: String) -> Int {
        kind.hasSuffix("/members/ONE") || kind.hasSuffix("/numbers/ONE") || kind.hasSuffix("/help/ONE") ? 3 : 1
    }
}
