// Which bodies bonds join, whoever asks.
#include "model/world.h"

bool sn_world_is_bonded(const sn_world *world, uint32_t body_a, uint32_t body_b)
{
    for (int i = 0; i < world->bonds.order.count; ++i) {
        const sn_bond_record *record = &world->bonds.records.data[world->bonds.order.data[i]];
        bool both = (record->body.index == body_a && record->other.index == body_b) ||
                    (record->body.index == body_b && record->other.index == body_a);
        if (both && body_b != 0 && sn_bond_is_active(record, world->time)) {
            return true;
        }
    }
    return false;
}

bool sn_bond_is_active(const sn_bond_record *record, double time)
{
    return !record->load.broken && time >= record->item.start && time < record->item.end;
}
