package import GatehouseStorage
import GatehouseWire

/// Archives a template, so that no new ban can have it. Existing bans go on showing its text.
package struct ArchiveBanTemplate: OperatorAction {
    package static let about = OperatorActionAbout(
        "template.archived", role: .operator, step: .confirmed, section: "ban-templates", subject: .banTemplate,
        undo: RestoreBanTemplate.self)

    let code: Int

    package init(on target: DeedTarget) throws {
        code = try target.requireBanTemplate()
    }

    package var subject: DeedTarget { .banTemplate(code) }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let template = try view.banTemplate(code, isArchived: false, in: tx)
        return Preview(
            Phrase("templates.archive-title", ["name": .text(template.name)]),
            ["templates.archive-what", try view.readers(of: template, in: tx)], undo: "templates.archive-undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try BanRules.archiveTemplate(code, true, change, in: tx) }
    }
}
