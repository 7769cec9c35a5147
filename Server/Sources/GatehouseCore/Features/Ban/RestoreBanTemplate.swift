package import GatehouseStorage
import GatehouseWire

/// Takes a template out of the archive, so that new bans can have it again.
package struct RestoreBanTemplate: OperatorAction {
    package static let about = OperatorActionAbout(
        "template.restored", role: .operator, step: .confirmed, section: "ban-templates", subject: .banTemplate,
        undo: ArchiveBanTemplate.self)

    let code: Int

    package init(on target: DeedTarget) throws {
        code = try target.requireBanTemplate()
    }

    package var subject: DeedTarget { .banTemplate(code) }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let template = try view.banTemplate(code, isArchived: true, in: tx)
        return Preview(
            Phrase("templates.restore-title", ["name": .text(template.name)]), ["templates.restore-what"],
            undo: "templates.restore-undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try BanRules.archiveTemplate(code, false, change, in: tx) }
    }
}
