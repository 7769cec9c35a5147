/// The app of a statement, for an engine that distributes tables by app. Nothing else needs it, so it is found only there.
extension Statement {
    /// The positions of the values that are compared with `app_id`, or inserted there.
    var appPlaces: [Int] {
        switch form {
        case .rows(let segments):
            Self.places(in: segments, from: 0)
        case .insert(_, let columns):
            columns.indices.filter { "\(columns[$0])" == "app_id" }
        case .update(_, let set, let key, let condition):
            Self.places(of: key, from: set.count - 1) + Self.places(in: condition, from: set.count - 1 + key.count)
        case .delete(_, let key, let condition):
            Self.places(of: key, from: 0) + Self.places(in: condition, from: key.count)
        }
    }

    /// The only app that the statement is about; nil if it names none, or several.
    var app: String? {
        let apps = Set(appPlaces.map { values[$0] })
        guard apps.count == 1, case .text(let app)? = apps.first else { return nil }
        return app
    }

    private static func places(of key: [StaticString], from start: Int) -> [Int] {
        key.indices.filter { "\(key[$0])" == "app_id" }.map { start + $0 }
    }

    /// The values that follow `app_id = ` in the text between them.
    private static func places(in segments: [String], from start: Int) -> [Int] {
        segments.indices.dropLast().filter { segments[$0].hasSuffix("app_id = ") }.map { start + $0 }
    }
}

extension [Statement] {
    /// The only app that the statements are about; nil if one names none, or if they name several.
    var app: String? {
        let apps = Set(map(\.app))
        return apps.count == 1 ? apps.first ?? nil : nil
    }
}
