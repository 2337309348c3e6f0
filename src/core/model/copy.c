/* SPDX-License-Identifier: MIT */
#include "model/copy.h"

/* Bodies and joints, loads, forces, sensors: the order of ali3_model_flat_write(). */
int model_copy_edited(ali3_model *to, const ali3_model *from, const struct model_edit *edit)
{
  int status = ali3_model_set_name(to, ali3_model_name(from));
  for (int i = 0; status >= 0 && i < ali3_model_bodies(from); i++) {
    ali3_body_spec spec = ali3_model_body_spec(from, i);
    edit->edit(edit->of, SPEC_OF_BODY, i, &spec);
    status = ali3_model_add_body(to, &spec);
  }
  for (int i = 0; status >= 0 && i < ali3_model_joints(from); i++) {
    ali3_joint_spec spec = ali3_model_joint_spec(from, i);
    edit->edit(edit->of, SPEC_OF_JOINT, i, &spec);
    status = ali3_model_add_joint(to, &spec);
  }
  /* Loads and forces act on bodies and joints; sensors read bodies. */
  for (int i = 0; status >= 0 && i < ali3_model_loads(from); i++) {
    ali3_load_spec spec = ali3_model_load_spec(from, i);
    edit->edit(edit->of, SPEC_OF_LOAD, i, &spec);
    status = ali3_model_add_load(to, &spec);
  }
  for (int i = 0; status >= 0 && i < ali3_model_forces(from); i++) {
    ali3_force_spec spec = ali3_model_force_spec(from, i);
    edit->edit(edit->of, SPEC_OF_FORCE, i, &spec);
    status = ali3_model_add_force(to, &spec);
  }
  for (int i = 0; status >= 0 && i < ali3_model_sensors(from); i++) {
    ali3_sensor_spec spec = ali3_model_sensor_spec(from, i);
    edit->edit(edit->of, SPEC_OF_SENSOR, i, &spec);
    status = ali3_model_add_sensor(to, &spec);
  }
  return status < 0 ? status : ALI3_OK;
}
