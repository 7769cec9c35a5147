import GatehouseWire

/// Sets a template with a text for each language. It replaces one with the same code, and existing bans show its new text.
package struct SetBanTemplate: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let code: Int
    let name: String
    let texts: [String: String]

    package init(code: Int, name: String, texts: [String: String]) {
        self.code = code
        self.name = name
        self.texts = texts
    }

    package var audited: AuditedRun? { AuditedRun(on: .banTemplate(code)) }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            let isNew = try HoldQueries.banTemplate(code, app: change.app.id, in: tx) == nil
            try BanRules.setTemplate(code, name: name, texts: LocalizedText(texts), app: change.app.id, in: tx)
            try change.record(isNew ? .banTemplateAdded : .banTemplateChanged, in: tx)
        }
    }
}
